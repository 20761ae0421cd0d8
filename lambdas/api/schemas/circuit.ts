import * as z from 'zod/mini';
import { expectedId, idPattern, timestamp } from './common.ts';
import { connectivity } from './gateway.ts';

const id = () => z.string().check(z.regex(idPattern, expectedId));

/** A temperature that a sensor measures; null if it is open or short. */
const measuredCelsius = () => z.nullable(z.number());

/** Whether a requested change is still to be taken over, and how old the report is. */
const status = () => ({
  /** `pending` from a requested change until the appliance reports that it has taken it. */
  state: z.enum(['confirmed', 'pending']),
  version: z.int(),
  reportedAt: timestamp(),
  /** Says, in the answer to an update, whether the appliance can take the change now. */
  connectivity: z.optional(connectivity()),
});

const circuitIds = () => ({ gatewayId: z.string(), circuitId: z.string() });

const heatingSettings = () => ({
  operationMode: z.enum(['auto', 'manual', 'off']),
  roomSetpointCelsius: z.number().check(z.minimum(5), z.maximum(30), z.multipleOf(0.5)),
  activeTimeProgramId: id(),
});

const dhwSettings = () => ({
  operationMode: z.enum(['off', 'eco', 'comfort', 'auto']),
  waterSetpointCelsius: z.number().check(z.minimum(40), z.maximum(60), z.multipleOf(1)),
  activeTimeProgramId: id(),
});

const heatingMeasurements = () => ({
  roomTemperatureCelsius: measuredCelsius(),
  supplyTemperatureCelsius: measuredCelsius(),
});

const dhwMeasurements = () => ({ waterTemperatureCelsius: measuredCelsius() });

export const heatingCircuit = () =>
  z.looseObject({ ...circuitIds(), ...heatingSettings(), ...heatingMeasurements(), ...status() });

export const dhwCircuit = () => z.looseObject({ ...circuitIds(), ...dhwSettings(), ...dhwMeasurements(), ...status() });

/** Any of the settings, at least one. */
const updateOf = <Shape extends z.core.$ZodShape>(settings: Shape) =>
  z
    .partial(z.strictObject(settings))
    .check(z.refine((update) => Object.keys(update).length > 0, 'Expected at least one property to change.'));

export const heatingCircuitUpdate = () => updateOf(heatingSettings());
export const dhwCircuitUpdate = () => updateOf(dhwSettings());

const daysOfWeek = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

/** Any text of one line, without control characters and halves of characters. */
const programName = () =>
  z
    .string()
    .check(z.regex(/^[^\p{Cc}\p{Cs}]{1,60}$/u, 'Expected 1 to 60 characters, none of them a control character.'));

const programOf = <Setpoint extends z.ZodMiniType>(setpoint: Setpoint) => ({
  name: programName(),
  switchPoints: z.array(
    z.strictObject({
      dayOfWeek: z.enum(daysOfWeek),
      /** The appliance's local time. */
      time: z.string().check(z.regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Expected a time of day as HH:mm.')),
      setpoint,
    }),
  ),
});

const heatingProgram = () => programOf(z.enum(['eco', 'comfort', 'off']));
const dhwProgram = () => programOf(z.enum(['off', 'eco', 'comfort']));

export const heatingTimeProgram = () => z.looseObject({ timeProgramId: z.string(), ...heatingProgram(), ...status() });
export const heatingTimeProgramUpdate = () => z.strictObject(heatingProgram());

export const dhwTimeProgram = () => z.looseObject({ timeProgramId: z.string(), ...dhwProgram(), ...status() });
export const dhwTimeProgramUpdate = () => z.strictObject(dhwProgram());

type Values<Shape> = { readonly [Name in keyof Shape]: z.output<Shape[Name]> };

export type HeatingSettings = Values<ReturnType<typeof heatingSettings>>;
export type HeatingMeasurements = Values<ReturnType<typeof heatingMeasurements>>;
export type HeatingProgram = Values<ReturnType<typeof heatingProgram>>;
export type DhwSettings = Values<ReturnType<typeof dhwSettings>>;
export type DhwMeasurements = Values<ReturnType<typeof dhwMeasurements>>;
export type DhwProgram = Values<ReturnType<typeof dhwProgram>>;
