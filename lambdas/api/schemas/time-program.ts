import * as z from 'zod/mini';
import {
  changeStatus,
  changeStatusDescriptions,
  changeStatusExample,
  changeTerms,
  changeTermsDescriptions,
} from './change-status.ts';
import { usualWords } from './circuit-limits.ts';
import { defaultCirculationLevels } from './circulation.ts';
import {
  type Documentation,
  id,
  knownEnum,
  line,
  matching,
  mayBeAbsent,
  openEnum,
  text,
  type Values,
  word,
  writtenText,
} from './common.ts';

export const daysOfWeek = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

const expectedName = 'Expected 1 to 60 visible characters in one line.';

const programName = () => line(1, 60, expectedName);

const minutesPerDay = 24 * 60;

/** A point that a partner requests; `time` is the appliance's local time. */
const requestedPoint = (family: keyof typeof usualWords) =>
  z.strictObject({
    dayOfWeek: z.enum(daysOfWeek),
    time: matching(/^([01]\d|2[0-3]):[0-5]\d$/, 'HH:mm'.length, 'Expected a time of day as HH:mm.'),
    setpoint: word(usualWords[family].levels),
  });

/** The end of a day may be its 24:00, as some appliances have it. */
const timeOfDay = () =>
  matching(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, 'HH:mm'.length, 'Expected a time of day as HH:mm.');

/** A point as an appliance has it. */
const shownPoint = (family: keyof typeof usualWords) =>
  z.looseObject({ dayOfWeek: z.enum(daysOfWeek), time: timeOfDay(), setpoint: word(usualWords[family].levels) });

/** Those of all families, and of the circulation pump. */
const knownLevels = [...usualWords.heating.levels, ...usualWords.dhw.levels, ...defaultCirculationLevels];

const reportedPoint = () =>
  z.object({
    dayOfWeek: knownEnum(daysOfWeek),
    time: z.pipe(z.transform(withTwoDigits), timeOfDay()),
    setpoint: openEnum(knownLevels),
  });

/** Some appliances write `7:00`, and some seconds: `07:00:00`. */
const withTwoDigits = (time: unknown) =>
  typeof time === 'string' ? time.replace(/^(\d?\d:\d\d)(:00)?$/, '$1').padStart('HH:mm'.length, '0') : time;

/** One point per day and time: a body that held more would be too large. */
const maxPoints = daysOfWeek.length * minutesPerDay;

const requestedProgram = (family: keyof typeof usualWords) => ({
  name: programName(),
  switchPoints: z.array(requestedPoint(family)).check(z.meta({ maxItems: maxPoints })),
});

/** A program as an appliance has it: its points are null if it has not reported any that can be shown. */
const shownProgram = (family: keyof typeof usualWords) => ({
  name: text(),
  switchPoints: z.nullable(z.array(shownPoint(family)).check(z.meta({ maxItems: maxPoints }))),
});

/** A program as a report may have it. */
export const reportedTimeProgram = () => ({
  name: mayBeAbsent(writtenText()),
  switchPoints: mayBeAbsent(z.array(reportedPoint())),
});

export const heatingTimeProgram = () =>
  z.looseObject({ timeProgramId: id(), ...changeStatus(shownProgram('heating')) });
export const heatingTimeProgramUpdate = () => z.strictObject({ ...requestedProgram('heating'), ...changeTerms() });

export const dhwTimeProgram = () => z.looseObject({ timeProgramId: id(), ...changeStatus(shownProgram('dhw')) });
export const dhwTimeProgramUpdate = () => z.strictObject({ ...requestedProgram('dhw'), ...changeTerms() });

/** All that may be desired of a program at once. Some appliances have no names for their programs. */
export const desiredTimeProgram = (family: keyof typeof usualWords) =>
  z.partial(z.strictObject(requestedProgram(family)));

/** The content of a program of any family. */
export type ProgramContent = Values<ReturnType<typeof shownProgram>>;

/** A program that suits both families, and its words. */
const updateDocs = (): Documentation<typeof heatingTimeProgramUpdate> & Documentation<typeof dhwTimeProgramUpdate> => ({
  ...programContentDocs(),
  properties: { ...programContentDocs().properties, ...changeTermsDescriptions() },
});

export const programContentDocs = () => ({
  example: {
    name: 'Long evenings',
    switchPoints: [
      { dayOfWeek: 'friday' as const, time: '06:30', setpoint: 'comfort' },
      { dayOfWeek: 'friday' as const, time: '22:00', setpoint: 'eco' },
    ],
  },
  properties: {
    name: 'The name of the time program: 1 to 60 visible characters in one line.',
    switchPoints: {
      description:
        'The switch points of a week, which repeat every week; at most one per day and time. The `limits` of the gateway apply.',
      properties: {
        dayOfWeek: 'The day of the week at the appliance.',
        time: 'The time of day as HH:mm, in the local time of the appliance: a multiple of `switchPointRasterMinutes` of the gateway.',
        setpoint: 'The level from this time until the next switch point.',
      },
    },
  },
});

const shownDescriptions = (family: keyof typeof usualWords) => {
  const { dayOfWeek } = programContentDocs().properties.switchPoints.properties;
  const known = usualWords[family].levels.map((level) => `\`${level}\``).join(', ');
  return {
    name: 'The name of the time program at the appliance; its id if the time program has no name.',
    switchPoints: {
      description:
        'The switch points of a week in order, which repeat every week; null if the appliance has reported no readable switch points.',
      properties: {
        dayOfWeek,
        time: 'The time of day as HH:mm, in the local time of the appliance. Some appliances report the end of a day as 24:00.',
        setpoint: `The level from this time until the next switch point. Known levels: ${known}. An appliance may have others.`,
      },
    },
  };
};

const programDocs = (family: keyof typeof usualWords) => ({
  example: { timeProgramId: '1', ...changeStatusExample(), ...updateDocs().example },
  properties: {
    timeProgramId: 'The id of a time program within its circuit.',
    ...shownDescriptions(family),
    ...changeStatusDescriptions(),
  },
});

export const heatingTimeProgramDocs = (): Documentation<typeof heatingTimeProgram> => programDocs('heating');
export const heatingTimeProgramUpdateDocs = (): Documentation<typeof heatingTimeProgramUpdate> => updateDocs();
export const dhwTimeProgramDocs = (): Documentation<typeof dhwTimeProgram> => programDocs('dhw');
export const dhwTimeProgramUpdateDocs = (): Documentation<typeof dhwTimeProgramUpdate> => updateDocs();
