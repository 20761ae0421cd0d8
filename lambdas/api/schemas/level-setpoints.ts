import * as z from 'zod/mini';
import { type Descriptions, mayBeAbsent, openEnum, type Values, word } from './common.ts';
import { celsius, requestedCelsius, temperature } from './measurement.ts';
import { describedEnds, inOrder, type Range, range, rangeDescriptions } from './range.ts';

/**
 * The level whose setpoint is `roomSetpointCelsius` or `waterSetpointCelsius`. Lists of levels never have it: an appliance that
 * reported two values of it would leave open which one is true.
 */
export const comfortLevel = 'comfort';

/** Levels that many appliances have. Each appliance may have others. */
const knownLevels = ['eco', 'reduced'];
const knownLevelsOfTargets = [comfortLevel, ...knownLevels, 'off'];

/** More levels than any circuit has. */
export const maxLevels = 30;

/** A setpoint of a level as answers have it, as requests do, and as reports do. */
const shownLevel = () => z.looseObject({ level: word(knownLevels), setpointCelsius: celsius() });
const requestedLevel = () => z.strictObject({ level: word(knownLevels), setpointCelsius: requestedCelsius() });
const reportedLevel = () => z.object({ level: openEnum(knownLevelsOfTargets), setpointCelsius: celsius() });

export const levelSetpoints = () => z.array(shownLevel()).check(z.maxLength(maxLevels));
export const reportedLevelSetpoints = () => z.array(reportedLevel()).check(z.maxLength(maxLevels));
export const requestedLevelSetpoints = () =>
  z.array(requestedLevel()).check(
    z.minLength(1),
    z.maxLength(maxLevels),
    z.refine((list) => new Set(list.map(({ level }) => level)).size === list.length, 'Expected each level once.'),
  );

/** The setpoint of a level: `{ level: 'reduced', setpointCelsius: 17 }`. */
export type LevelSetpoint = z.output<ReturnType<typeof requestedLevel>>;

export const levelSetpointsExample = () => [{ level: 'reduced', setpointCelsius: 17 }];

const levelDescriptions = () => ({
  level: `The level, such as ${knownLevels.map((level) => `\`${level}\``).join(' or ')}. Each appliance may have others.`,
  setpointCelsius: 'The temperature to reach at this level, in degrees Celsius.',
});

export const levelSetpointsDescription = () => ({
  description:
    'The setpoints of the levels of time programs. The setpoint of `comfort` is not in the list: it is a property of its own. A change lists only the levels to change; the others stay as they are.',
  properties: levelDescriptions(),
});

/** What partners may request of a level. */
export type LevelLimits = Range & Pick<LevelSetpoint, 'level'>;

export const levelLimits = () =>
  z.nullable(
    z.array(z.looseObject({ level: word(knownLevels), ...range(temperature).shape })).check(z.maxLength(maxLevels)),
  );

export const describedLevelLimits = () =>
  z
    .array(z.object({ level: openEnum(knownLevelsOfTargets), ...describedEnds(temperature) }).check(inOrder()))
    .check(z.maxLength(maxLevels));

export const levelLimitsDescription = (
  absence: string,
): { readonly description: string; readonly properties: Descriptions<LevelLimits> } => ({
  description: `The levels whose setpoints can be changed, each with the allowed values in degrees Celsius; ${absence}. A level that is not in the list cannot be changed.`,
  properties: { level: levelDescriptions().level, ...rangeDescriptions() },
});

/** What a circuit aims at. */
const shownTarget = () => ({
  temperatureCelsius: z.nullable(celsius()),
  level: z.nullable(word(knownLevelsOfTargets)),
});

export const target = () => z.nullable(z.looseObject(shownTarget()));
export const reportedTarget = () =>
  z.object({
    temperatureCelsius: mayBeAbsent(celsius()),
    level: mayBeAbsent(openEnum(knownLevelsOfTargets)),
  });

export type Target = Values<ReturnType<typeof shownTarget>>;

export const targetDescription = (): { readonly description: string; readonly properties: Descriptions<Target> } => ({
  description:
    'What the circuit aims at now, as the appliance reports it: it depends on the operation mode, the time program, an override and a holiday. A requested change has no effect on it until the appliance has reported again.',
  properties: {
    temperatureCelsius: 'The temperature that the circuit aims at, in degrees Celsius; null if it aims at none.',
    level:
      'The level that is active, such as `comfort` or `reduced`; null if none is, for example during an override. Each appliance may have others.',
  },
});
