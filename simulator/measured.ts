import type { InboundEvent } from '../lambdas/api/inbound-events/inbound-events.ts';
import { openSensorCelsius } from '../lambdas/api/limits.ts';
import type { SwitchPoint } from '../lambdas/domain/appliance.ts';
import { toDate, toTimestamp } from '../lambdas/domain/time.ts';
import type { ApplianceState, TimeProgramState } from './appliance-state.ts';
import { outsideCelsius } from './energy-use.ts';
import { type ApplianceProfile, circulationProgramId } from './factory-settings.ts';
import { type GatewayReport, gatewayReport } from './gateway-report.ts';
import { type HeatingReport, levelAt } from './thermal-model.ts';

/** How often an appliance reports its measurements, all of them in one event. */
const measurementIntervalMs = 5 * 60_000;

/** Old appliances measure nothing, and those of the fleet report only changes. */
export const reportsMeasurements = ({ isOld, isQuiet }: ApplianceProfile): boolean => !isOld && !isQuiet;

/** Reports the measurements if it is time. */
export const reportMeasured = (state: ApplianceState, nowMs: number): GatewayReport[] => {
  if (nowMs - state.measuredAtMs < measurementIntervalMs) return [];
  state.measuredAtMs = nowMs;
  return [gatewayReport('measurements.reported.v1', state.gatewayId, { measurements: measured(state, nowMs) }, nowMs)];
};

type Measured = NonNullable<InboundEvent<'measurements.reported.v1'>['data']['measurements']>;

const heatPumpId = '1';
/** The outdoor sensor is read less often than the others. */
const outdoorAgeMs = 20_000;
const idleCelsius = 25;
const wattsPerKelvin = 150;
const maxHeatWatts = 6000;
const standbyWatts = 40;

/** Returns the measurements of a home with a heat pump. Deterministic: the same input gives the same result. */
export const measured = ({ circuits }: ApplianceState, nowMs: number): Measured => {
  const outdoorAtMs = nowMs - outdoorAgeMs;
  const outdoor = outdoorCelsiusAt(outdoorAtMs);
  const supplies = circuits.flatMap(({ family, content }) =>
    family === 'heating' ? [(content as HeatingReport).supplyTemperatureCelsius] : [],
  );
  const flow = Math.max(...supplies.filter((celsius) => celsius !== openSensorCelsius), 0);
  const heatWatts = Math.min(Math.max(0, flow - idleCelsius) * wattsPerKelvin, maxHeatWatts);
  const isHeating = heatWatts > 0;
  const programs = circuits.flatMap(({ family, timePrograms }) => (family === 'dhw' ? timePrograms : []));
  const ofHeatPump = { componentId: heatPumpId };
  return [
    {
      name: 'outdoorTemperature',
      value: rounded(outdoor),
      unit: 'celsius',
      measuredAt: toTimestamp(outdoorAtMs),
    },
    { name: 'flowTemperature', ...ofHeatPump, value: flow },
    { name: 'returnTemperature', ...ofHeatPump, value: rounded(flow - (isHeating ? 5 : 0)) },
    { name: 'waterPressure', value: 1600, unit: 'mbar' },
    { name: 'electricPower', value: rounded(standbyWatts + heatWatts / (3 + outdoor / 15)), unit: 'W' },
    { name: 'heatOutput', value: rounded(heatWatts / 1000), unit: 'kW' },
    { name: 'compressor', ...ofHeatPump, state: isHeating },
    { name: 'circulationPump', state: levelOfCirculation(programs, nowMs) ?? 'off' },
    // No client knows this one.
    { name: 'fanSpeed', ...ofHeatPump, value: isHeating ? 620 : 0, unit: 'rpm' },
  ];
};

const levelOfCirculation = (programs: readonly TimeProgramState[], nowMs: number): string | undefined => {
  const program = programs.find(({ timeProgramId }) => timeProgramId === circulationProgramId);
  return program && levelAt((program.content as { readonly switchPoints: SwitchPoint[] }).switchPoints, nowMs);
};

/** Coldest at 4:00, warmest at 16:00. */
const outdoorCelsiusAt = (nowMs: number): number => {
  const hour = (nowMs % 86_400_000) / 3_600_000;
  return outsideCelsius(toDate(nowMs)) - 3 * Math.cos((2 * Math.PI * (hour - 4)) / 24);
};

const rounded = (value: number): number => Math.round(value * 10) / 10;
