import type { FamilyName } from '../lambdas/api/endpoints/circuit-endpoints.ts';
import type { HolidaySettings } from '../lambdas/api/schemas/holiday.ts';
import type { Target } from '../lambdas/api/schemas/level-setpoints.ts';
import type { SwitchPoint } from '../lambdas/domain/appliance.ts';
import { type DhwReport, type HeatingReport, type Level, levelAt, roomTarget, waterTarget } from './thermal-model.ts';

type Circuit = {
  readonly family: FamilyName;
  readonly content: object;
  readonly timePrograms: readonly { readonly timeProgramId: string; readonly content: object }[];
};

type Home = { readonly holiday?: { readonly content: HolidaySettings } | undefined };

/** Returns what a circuit aims at. The cast holds because the content of a circuit has the type of its family. */
export const targetOf = (home: Home, circuit: Circuit, nowMs: number): Target => {
  const level = activeLevel(home, circuit, nowMs);
  return circuit.family === 'heating'
    ? roomTarget(circuit.content as HeatingReport, level)
    : waterTarget(circuit.content as DhwReport, level);
};

/** Returns the room temperature of the current holiday, or else the level of the active time program. */
export const activeLevel = ({ holiday }: Home, circuit: Circuit, nowMs: number): Level => {
  const period = holiday?.content.holiday;
  if (period && Date.parse(period.from) <= nowMs) return period.roomSetpointCelsius;
  const points = activePoints(circuit);
  return points && levelAt(points, nowMs);
};

/** Returns the switch points of the active time program. */
export const activePoints = ({ content, timePrograms }: Circuit) => {
  const { activeTimeProgramId } = content as HeatingReport | DhwReport;
  const active = timePrograms.find(({ timeProgramId }) => timeProgramId === activeTimeProgramId);
  return (active?.content as { readonly switchPoints: SwitchPoint[] } | undefined)?.switchPoints;
};
