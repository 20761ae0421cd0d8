import * as z from 'zod/mini';
import { idPattern, timestamp } from './common.ts';
import { connectivity } from './gateway.ts';

const id = z.string().check(z.regex(idPattern, `Expected an id that matches ${idPattern.source}.`));

/** A temperature that a sensor measures; null where it is open or short. */
const measuredCelsius = z.nullable(z.number());

/** Where a wish stands: `pending` until the appliance reports that it has taken it. */
const wishState = z.enum(['confirmed', 'pending']);

/** What every answer about something that can be wished for has. */
const standing = { state: wishState, version: z.int(), reportedAt: timestamp };

const heatingWishes = {
  operationMode: z.enum(['auto', 'manual', 'off']),
  roomSetpointCelsius: z.number().check(z.minimum(5), z.maximum(30), z.multipleOf(0.5)),
  activeTimeProgramId: id,
};

const dhwWishes = {
  operationMode: z.enum(['off', 'eco', 'comfort', 'auto']),
  waterSetpointCelsius: z.number().check(z.minimum(40), z.maximum(60), z.multipleOf(1)),
  activeTimeProgramId: id,
};

const circuitOf = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.looseObject({
    gatewayId: z.string(),
    circuitId: z.string(),
    ...shape,
    ...standing,
    /** In the answer to an update: whether the appliance can take the wish now. */
    connectivity: z.optional(connectivity),
  });

/** Any of the wishes, at least one. */
const updateOf = <Shape extends z.core.$ZodShape>(wishes: Shape) =>
  z
    .partial(z.strictObject(wishes))
    .check(z.refine((update) => Object.keys(update).length > 0, 'Expected at least one property to change.'));

export const heatingCircuit = circuitOf({
  ...heatingWishes,
  roomTemperatureCelsius: measuredCelsius,
  supplyTemperatureCelsius: measuredCelsius,
});
export const heatingCircuitUpdate = updateOf(heatingWishes);

export const dhwCircuit = circuitOf({ ...dhwWishes, waterTemperatureCelsius: measuredCelsius });
export const dhwCircuitUpdate = updateOf(dhwWishes);

const daysOfWeek = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

const switchPointOf = <Setpoint extends z.ZodMiniType>(setpoint: Setpoint) =>
  z.strictObject({
    dayOfWeek: z.enum(daysOfWeek),
    /** The appliance's local time. */
    time: z.string().check(z.regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Expected a time of day as HH:mm.')),
    setpoint,
  });

/** Any text of one line, without control characters and halves of characters. */
const programName = z
  .string()
  .check(z.regex(/^[^\p{Cc}\p{Cs}]{1,60}$/u, 'Expected 1 to 60 characters, none of them a control character.'));

const programOf = <Setpoint extends z.ZodMiniType>(setpoint: Setpoint) => ({
  name: programName,
  switchPoints: z.array(switchPointOf(setpoint)),
});

const timeProgramOf = <Shape extends z.core.$ZodLooseShape>(program: Shape) =>
  z.looseObject({
    timeProgramId: z.string(),
    ...program,
    ...standing,
    connectivity: z.optional(connectivity),
  });

const heatingProgram = programOf(z.enum(['eco', 'comfort', 'off']));
export const heatingTimeProgram = timeProgramOf(heatingProgram);
export const heatingTimeProgramUpdate = z.strictObject(heatingProgram);

const dhwProgram = programOf(z.enum(['off', 'eco', 'comfort']));
export const dhwTimeProgram = timeProgramOf(dhwProgram);
export const dhwTimeProgramUpdate = z.strictObject(dhwProgram);
