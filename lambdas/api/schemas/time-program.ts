import * as z from 'zod/mini';
import { changeStatus, changeStatusDescriptions, changeStatusExample } from './circuit.ts';
import { type Documentation, id, line, matching, type Values } from './common.ts';

const daysOfWeek = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

const expectedName =
  'Expected 1 to 60 characters, none of them a control character, a noncharacter of Unicode or one that turns the direction of writing.';

const programName = () => line(1, 60, expectedName);

const minutesPerDay = 24 * 60;

const switchPointOf = <Setpoint extends z.ZodMiniType>(setpoint: Setpoint) => ({
  dayOfWeek: z.enum(daysOfWeek),
  /** The appliance's local time. */
  time: matching(/^([01]\d|2[0-3]):[0-5]\d$/, 'HH:mm'.length, 'Expected a time of day as HH:mm.'),
  setpoint,
});

const heatingSwitchPoint = () => switchPointOf(z.enum(['eco', 'comfort', 'off']));
const dhwSwitchPoint = () => switchPointOf(z.enum(['off', 'eco', 'comfort']));

const programOf = <Point extends z.ZodMiniType>(point: Point) => ({
  name: programName(),
  // One point per day and time: a body that held more would be too large.
  switchPoints: z.array(point).check(z.meta({ maxItems: daysOfWeek.length * minutesPerDay })),
});

const heatingProgram = () => programOf(z.strictObject(heatingSwitchPoint()));
const dhwProgram = () => programOf(z.strictObject(dhwSwitchPoint()));

/** A program as an appliance reports it: what is not known of a point is ignored. */
export const reportedHeatingProgram = () => programOf(z.object(heatingSwitchPoint()));
export const reportedDhwProgram = () => programOf(z.object(dhwSwitchPoint()));

export const heatingTimeProgram = () => z.looseObject({ timeProgramId: id(), ...heatingProgram(), ...changeStatus() });
export const heatingTimeProgramUpdate = () => z.strictObject(heatingProgram());

export const dhwTimeProgram = () => z.looseObject({ timeProgramId: id(), ...dhwProgram(), ...changeStatus() });
export const dhwTimeProgramUpdate = () => z.strictObject(dhwProgram());

export type HeatingProgram = Values<ReturnType<typeof heatingProgram>>;
export type DhwProgram = Values<ReturnType<typeof dhwProgram>>;

/** A program that suits both families, and its words. */
const updateDocs = (): Documentation<typeof heatingTimeProgramUpdate> & Documentation<typeof dhwTimeProgramUpdate> => ({
  example: {
    name: 'Long evenings',
    switchPoints: [
      { dayOfWeek: 'friday', time: '06:30', setpoint: 'comfort' },
      { dayOfWeek: 'friday', time: '22:00', setpoint: 'eco' },
    ],
  },
  properties: {
    name: 'The name of the time program: 1 to 60 characters, none of them a control character, a noncharacter of Unicode or one that turns the direction of writing.',
    switchPoints: {
      description:
        'The switch points of a week, which every week repeats; at most one per day and time. The `limits` of the gateway hold.',
      properties: {
        dayOfWeek: 'The day of the week at the appliance.',
        time: 'The time of day as HH:mm, in the local time of the appliance, on the raster of the gateway.',
        setpoint: 'The level from this time until the next switch point.',
      },
    },
  },
});

const programDocs = () => ({
  example: { timeProgramId: '1', ...updateDocs().example, ...changeStatusExample() },
  properties: {
    timeProgramId: 'The id of a time program within its circuit.',
    ...updateDocs().properties,
    ...changeStatusDescriptions(),
  },
});

export const heatingTimeProgramDocs = (): Documentation<typeof heatingTimeProgram> => programDocs();
export const heatingTimeProgramUpdateDocs = (): Documentation<typeof heatingTimeProgramUpdate> => updateDocs();
export const dhwTimeProgramDocs = (): Documentation<typeof dhwTimeProgram> => programDocs();
export const dhwTimeProgramUpdateDocs = (): Documentation<typeof dhwTimeProgramUpdate> => updateDocs();
