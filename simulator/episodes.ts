import { toTimestamp } from '../lambdas/domain/time.ts';
import { type GatewayReport, gatewayReport } from './gateway-report.ts';

/** The automatic episodes of an eventful home, with their intervals and durations. */
const episodes = {
  fault: { everyMs: 10 * 60_000, forMs: 4 * 60_000 },
  /** The second heating circuit is off and only protected from frost. */
  frostNight: { everyMs: 20 * 60_000, forMs: 8 * 60_000 },
  /** The tank is heated to a temperature that kills legionella. */
  legionella: { everyMs: 30 * 60_000, forMs: 12 * 60_000 },
} as const;

type Episode = keyof typeof episodes;

/** A circuit with its settings from before the current episode. */
type EpisodicCircuit = { readonly circuitId: string; content: object; before?: object | undefined };

type EpisodicState = {
  readonly gatewayId: string;
  readonly circuits: readonly EpisodicCircuit[];
  /** Whether its fault is reported. */
  hasFault: boolean;
};

const ofCircuits = [
  { episode: 'frostNight', circuitId: 'hc2', settings: { operationMode: 'off', roomSetpointCelsius: 3 } },
  { episode: 'legionella', circuitId: 'dhw1', settings: { operationMode: 'comfort', waterSetpointCelsius: 65 } },
] as const;

/**
 * Starts and ends the episodes that are due. Returns only the reports of faults: circuits report changed settings in their
 * own step.
 */
export const playEpisodes = (state: EpisodicState, nowMs: number): GatewayReport[] => {
  for (const { episode, circuitId, settings } of ofCircuits) {
    const circuit = state.circuits.find((each) => each.circuitId === circuitId);
    if (circuit) playOn(circuit, settings, isDuring(episode, nowMs));
  }
  return playFault(state, nowMs);
};

const isDuring = (episode: Episode, nowMs: number): boolean =>
  nowMs % episodes[episode].everyMs < episodes[episode].forMs;

type Values = Readonly<Record<string, unknown>>;

/** Settings that were changed during the episode stay after it. */
const playOn = (circuit: EpisodicCircuit, settings: Values, isOn: boolean): void => {
  const content = circuit.content as Values;
  if (isOn && !circuit.before) {
    circuit.before = Object.fromEntries(Object.keys(settings).map((name) => [name, content[name]]));
    circuit.content = { ...content, ...settings };
  } else if (!isOn && circuit.before) {
    const unchanged = Object.entries(circuit.before).filter(([name]) => content[name] === settings[name]);
    circuit.content = { ...content, ...Object.fromEntries(unchanged) };
    circuit.before = undefined;
  }
};

const fault = { code: 'F.28', componentId: '1' };

const playFault = (state: EpisodicState, nowMs: number): GatewayReport[] => {
  const isOpen = isDuring('fault', nowMs);
  if (isOpen === state.hasFault) return [];
  state.hasFault = isOpen;
  if (!isOpen) return [gatewayReport('fault.cleared.v1', state.gatewayId, fault, nowMs)];
  const said = { severity: 'fault', text: 'Ignition failed.', since: toTimestamp(nowMs) };
  return [gatewayReport('fault.reported.v1', state.gatewayId, { ...fault, ...said }, nowMs)];
};
