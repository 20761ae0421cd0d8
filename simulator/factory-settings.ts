import type * as z from 'zod/mini';
import type { FamilyName } from '../lambdas/api/endpoints/circuit-endpoints.ts';
import { openSensorCelsius } from '../lambdas/api/limits.ts';
import { usualWords } from '../lambdas/api/schemas/circuit-limits.ts';
import { type ApplianceFunction, applianceFeatures } from '../lambdas/api/schemas/gateway.ts';
import type { LevelSetpoint } from '../lambdas/api/schemas/level-setpoints.ts';
import type { dhwTimeProgramUpdate, heatingTimeProgramUpdate } from '../lambdas/api/schemas/time-program.ts';
import type { Gateway } from '../lambdas/domain/appliance.ts';
import type { DescribedLimits } from '../lambdas/domain/circuit-limits.ts';
import type { DescribedCirculation } from '../lambdas/domain/circulation.ts';
import type { DhwReport, HeatingReport } from './thermal-model.ts';

/** How an appliance differs from a healthy, connected appliance. */
export type Peculiarities = {
  /** The gateway is offline: it never confirms requested changes. */
  readonly isOffline?: boolean;
  /** The heating circuit whose room sensor has a broken wire. */
  readonly openRoomSensorIn?: string;
  /** The functions that the appliance blocks to protect itself. It blocks them again soon after a block has ended. */
  readonly blocks?: readonly ApplianceFunction[];
  /** The appliance is too old to have features or to know its time zone. */
  readonly isOld?: boolean;
  /** Its floor heating can cool. */
  readonly cools?: boolean;
  /** The appliance plays the episodes of `episodes.ts`. */
  readonly isEventful?: boolean;
  /** The appliance has a single heating circuit, which changes only on request. */
  readonly isQuiet?: boolean;
};

/** A simulated appliance, identified by its gateway. */
export type ApplianceProfile = Peculiarities & { readonly gatewayId: string; readonly name: string };

type HeatingProgram = z.output<ReturnType<typeof heatingTimeProgramUpdate>>;
type DhwProgram = z.output<ReturnType<typeof dhwTimeProgramUpdate>>;
type DayOfWeek = HeatingProgram['switchPoints'][number]['dayOfWeek'];

/** A circuit with its factory settings, and its time programs by id. */
export type EquippedCircuit = { readonly family: FamilyName; readonly circuitId: string } & (
  | { readonly reported: HeatingReport; readonly timePrograms: Readonly<Record<string, HeatingProgram>> }
  | { readonly reported: DhwReport; readonly timePrograms: Readonly<Record<string, DhwProgram>> }
);

const weekdays: readonly DayOfWeek[] = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'];
const weekend: readonly DayOfWeek[] = ['saturday', 'sunday'];

/** Repeats the same points on each of the days: `onEach(weekend, { '07:00': 'comfort' })`. */
const onEach = <Setpoint extends string>(days: readonly DayOfWeek[], points: Readonly<Record<string, Setpoint>>) =>
  days.flatMap((dayOfWeek) => Object.entries(points).map(([time, setpoint]) => ({ dayOfWeek, time, setpoint })));

const heatingPrograms: Record<string, HeatingProgram> = {
  '1': {
    name: 'At home',
    switchPoints: onEach([...weekdays, ...weekend], { '06:00': 'comfort', '22:00': 'eco' }),
  },
  '2': {
    name: 'At work',
    switchPoints: [
      ...onEach(weekdays, { '06:00': 'comfort', '08:00': 'eco', '16:30': 'comfort', '22:00': 'eco' }),
      ...onEach(weekend, { '07:30': 'comfort', '23:00': 'eco' }),
    ],
  },
};

/** Keeps a circuit at one level all day. */
const quietPrograms: Record<string, HeatingProgram> = {
  '1': { name: 'All day', switchPoints: onEach([...weekdays, ...weekend], { '00:00': 'comfort' }) },
};

const dhwPrograms: Record<string, DhwProgram> = {
  '1': {
    name: 'Morning and evening',
    switchPoints: onEach([...weekdays, ...weekend], {
      '05:30': 'comfort',
      '08:00': 'eco',
      '18:00': 'comfort',
      '22:00': 'off',
    }),
  },
  '2': { name: 'All day', switchPoints: onEach(weekdays.slice(0, 1), { '00:00': 'comfort' }) },
};

/** The time program of the circulation pump. Old appliances have no such pump. */
export const circulationProgramId = '3';
const circulationProgram: DhwProgram = {
  name: 'Circulation',
  switchPoints: onEach([...weekdays, ...weekend], { '06:00': 'on', '08:00': 'off', '18:00': 'on', '21:00': 'off' }),
};

/** Returns the circulation of a circuit; undefined if it has none. */
export const circulationOf = ({ isOld }: ApplianceProfile, family: FamilyName): DescribedCirculation | undefined =>
  family === 'dhw' && !isOld ? { timeProgramId: circulationProgramId } : undefined;

/** The names of heating circuits. Old appliances and those of the fleet have none, and no appliance has one of its hot water. */
const nameOf = ({ isOld, isQuiet, isEventful }: ApplianceProfile, circuitId: string): string | null => {
  if (isOld || isQuiet) return null;
  if (circuitId === 'hc1') return 'Ground floor';
  return isEventful ? 'Cellar' : 'First floor';
};

/**
 * The setpoints of the level that time programs have beside `comfort` and `off`. Old appliances, those of the fleet and cellars
 * have none.
 */
const levelSetpointsOf = (
  { isOld, isQuiet, isEventful }: ApplianceProfile,
  circuitId: string,
): LevelSetpoint[] | null => {
  if (isOld || isQuiet || (isEventful && circuitId === 'hc2')) return null;
  return [{ level: 'eco', setpointCelsius: circuitId === 'dhw1' ? 40 : 18 }];
};

/** The limits of these levels. That of the floor heating cannot be set. */
const levelLimits: Readonly<Record<string, DescribedLimits[string]['levelSetpoints']>> = {
  hc1: [{ level: 'eco' }],
  dhw1: [{ level: 'eco', minimum: 35 }],
};

/** A room that is only protected from frost. */
const cellar = { operationMode: 'manual', roomSetpointCelsius: 6 } as const;

/** The heating curves of radiators and of floor heating. Old appliances and those of the fleet have none to set. */
const curves: Readonly<Record<string, HeatingReport['heatingCurve']>> = {
  hc1: { slope: 1.4, shiftKelvin: 0 },
  hc2: { slope: 0.6, shiftKelvin: 0 },
};

const curveOf = ({ isOld, isQuiet }: ApplianceProfile, circuitId: string) =>
  isOld || isQuiet ? null : (curves[circuitId] ?? null);

const canCool = ({ cools = false }: ApplianceProfile, circuitId: string): boolean => cools && circuitId === 'hc2';

/**
 * Returns the circuits of a demo home: radiators, floor heating and a hot-water tank. A quiet home has only radiators; an
 * eventful home has a cellar instead of the floor heating.
 */
export const circuitsOf = (appliance: ApplianceProfile): readonly EquippedCircuit[] => {
  const { openRoomSensorIn, isQuiet, isEventful } = appliance;
  const heatingCircuit = (
    circuitId: string,
    readings: { roomCelsius: number; supplyCelsius: number },
    settings: Pick<HeatingReport, 'operationMode' | 'roomSetpointCelsius'> = {
      operationMode: 'auto',
      roomSetpointCelsius: 21,
    },
  ) => ({
    family: 'heating' as const,
    circuitId,
    reported: {
      displayName: nameOf(appliance, circuitId),
      ...settings,
      levelSetpoints: levelSetpointsOf(appliance, circuitId),
      coolingSetpointCelsius: canCool(appliance, circuitId) ? 24 : null,
      heatingCurve: curveOf(appliance, circuitId),
      activeTimeProgramId: '1',
      override: null,
      target: null,
      roomTemperatureCelsius: circuitId === openRoomSensorIn ? openSensorCelsius : readings.roomCelsius,
      supplyTemperatureCelsius: readings.supplyCelsius,
    },
    timePrograms: isQuiet ? quietPrograms : heatingPrograms,
  });
  if (isQuiet) return [heatingCircuit('hc1', { roomCelsius: 21, supplyCelsius: 33 })];
  return [
    heatingCircuit('hc1', { roomCelsius: 20.4, supplyCelsius: 38 }),
    isEventful
      ? heatingCircuit('hc2', { roomCelsius: 6, supplyCelsius: 20 }, cellar)
      : heatingCircuit('hc2', { roomCelsius: 19.8, supplyCelsius: 32.5 }),
    {
      family: 'dhw',
      circuitId: 'dhw1',
      reported: {
        displayName: null,
        operationMode: 'auto',
        waterSetpointCelsius: 52,
        levelSetpoints: levelSetpointsOf(appliance, 'dhw1'),
        activeTimeProgramId: '1',
        override: null,
        target: null,
        waterTemperatureCelsius: 48.5,
      },
      timePrograms: appliance.isOld ? dhwPrograms : { ...dhwPrograms, [circulationProgramId]: circulationProgram },
    },
  ];
};

/** The limits of an eventful home: its cellar may be colder and its tank hotter than usual. */
const eventfulLimits: Readonly<Record<string, DescribedLimits[string]>> = {
  hc1: { roomSetpointCelsius: { minimum: 10, maximum: 26, step: 1 } },
  hc2: { roomSetpointCelsius: { minimum: 3, maximum: 28, step: 0.1 } },
  dhw1: { waterSetpointCelsius: { minimum: 35, maximum: 70 }, operationModes: ['auto', 'comfort', 'off'] },
};

/** Returns the limits of a circuit; undefined if it has the usual ones. */
export const limitsOf = (appliance: ApplianceProfile, circuitId: string): DescribedLimits[string] | undefined => {
  const limits = {
    ...(appliance.isEventful && eventfulLimits[circuitId]),
    ...(levelSetpointsOf(appliance, circuitId) && levelLimits[circuitId] && { levelSetpoints: levelLimits[circuitId] }),
    ...(curveOf(appliance, circuitId) && { heatingCurve: {} }),
    ...(canCool(appliance, circuitId) && {
      operationModes: [...usualWords.heating.operationModes, 'cooling'],
      coolingSetpointCelsius: {},
    }),
  };
  return Object.keys(limits).length > 0 ? limits : undefined;
};

type Nameplate = Pick<Gateway, 'gatewayId' | 'name' | 'type' | 'components' | 'limits' | 'features' | 'timeZone'>;

/** Returns the properties of a gateway that do not change while it runs. */
export const nameplateOf = ({ gatewayId, name, isOld }: ApplianceProfile): Nameplate => ({
  gatewayId,
  name,
  type: 'heat-pump',
  components: [
    { componentId: '1', type: 'heat-pump', model: 'AW-8', serialNumber: `AW8-${gatewayId}` },
    { componentId: '2', type: 'dhw-tank', model: 'T-200', serialNumber: `T200-${gatewayId}` },
    { componentId: '3', type: 'room-sensor', model: 'RS-1' },
  ],
  limits: { maxSwitchPoints: 56, maxSwitchPointsPerDay: 8, switchPointRasterMinutes: 10 },
  features: isOld ? [] : [...applianceFeatures],
  timeZone: isOld ? null : 'Etc/UTC',
});
