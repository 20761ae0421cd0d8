import { circuitSettings } from './generated/circuit-settings.ts';
import type { RequestOf } from './operation-types.ts';

type HeatingUpdate = RequestOf<'updateHeatingCircuit'>['body'];
type DhwUpdate = RequestOf<'updateDhwCircuit'>['body'];

/** A circuit as it was read. An unknown setting is null, and so are the limits of a setting that cannot be requested. */
type Read<Update> = {
  readonly [Name in Exclude<keyof Update, 'validUntil'>]-?: NonNullable<Update[Name]> | null;
} & {
  readonly limits?: object;
};

/**
 * Returns the known settings of a circuit that was read, in the form of a change: without ids, state and measurements, which
 * the service refuses in a change, and without settings that cannot be changed, whose value in `limits` is null. Of levels, it
 * returns those that `limits` lists; an event has no limits, and so no levels.
 *
 * `client.call('updateHeatingCircuit', { path, body: { ...settingsOf(circuit), roomSetpointCelsius: 21.5 } })`
 */
export function settingsOf(circuit: Read<HeatingUpdate>): HeatingUpdate;
export function settingsOf(circuit: Read<DhwUpdate>): DhwUpdate;
export function settingsOf(circuit: Readonly<Record<string, unknown>>): object {
  const limits = (circuit.limits ?? {}) as Readonly<Record<string, unknown>>;
  const known = circuitSettings.filter((name) => (circuit[name] ?? null) !== null && limits[name] !== null);
  return Object.fromEntries(
    known.flatMap((name) => {
      const value = name === 'levelSetpoints' ? settableLevels(circuit[name], limits[name]) : circuit[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

type Level = { readonly level: unknown };

/** Returns the levels that can be changed; undefined if there is none, since a change has at least one. */
const settableLevels = (levels: unknown, limits: unknown = []): readonly Level[] | undefined => {
  const settable = new Set((limits as readonly Level[]).map(({ level }) => level));
  const known = (levels as readonly Level[]).filter(({ level }) => settable.has(level));
  return known.length > 0 ? known : undefined;
};
