import { isDeepStrictEqual } from 'node:util';
import { dhwCircuitBody, heatingCircuitBody, timeProgramBody } from '../answers/circuit.ts';
import { gatewayBody } from '../answers/gateway.ts';
import { dhw, heating } from '../api/endpoints/circuit-families.ts';
import { type ApplianceFunction, applianceFunctions } from '../api/schemas/gateway.ts';
import { changeItemOf, toCircuit, toGateway, toTimeProgram } from '../data/appliances/appliances.ts';
import type { ItemChange } from '../data/store/stream-record.ts';
import type { Shadow } from '../domain/appliances/appliance.ts';
import type { StoredBlock } from '../domain/appliances/gateway-state.ts';
import type { FeedFact } from './feed-fact.ts';

type Item = Readonly<Record<string, unknown>>;

/** What a change of an item of Appliances means to those who may act on its gateway; most reports mean nothing. */
export const applianceFacts = (change: ItemChange): FeedFact[] => {
  const [kind] = String(change.keys.sk).split('#');
  if (kind === 'GATEWAY') return gatewayFacts(change);
  return kind === 'CIRCUIT' || kind === 'PROGRAM' ? shadowFacts(change) : [];
};

const gatewayFacts = ({ before, after, atMs }: ItemChange): FeedFact[] => {
  if (!after) return [];
  const gatewayId = String(after.gatewayId);
  const fact = (type: FeedFact['type'], factAtMs: number, part?: string): FeedFact => ({
    ...{ type, atMs: factAtMs, gatewayId, resource: `/hvacs/${gatewayId}` },
    ...{ data: gatewayBody(toGateway(after), atMs) },
    ...(part !== undefined && { part }),
  });
  const connectivityAtMs = Number(after.connectivityAtMs);
  const hasTurned = connectivityAtMs > 0 && after.connectivity !== before?.connectivity;
  return [
    ...(hasTurned ? [fact('gateway.connectivity_changed', connectivityAtMs)] : []),
    ...applianceFunctions.flatMap((name) => {
      const [old, block] = [blockIn(before, name), blockIn(after, name)];
      if (!block || isSameBlock(old, block)) return [];
      return [fact(isBlock(block) ? 'function.blocked' : 'function.unblocked', block.changedAtMs, name)];
    }),
  ];
};

const blockIn = (gateway: Item | undefined, name: ApplianceFunction): StoredBlock | undefined =>
  (gateway?.blocks as Readonly<Partial<Record<ApplianceFunction, StoredBlock>>> | undefined)?.[name];

const isBlock = (block: StoredBlock | undefined): boolean => block?.sinceMs !== undefined;

const isSameBlock = (old: StoredBlock | undefined, block: StoredBlock): boolean =>
  isBlock(block) ? old?.sinceMs === block.sinceMs && old?.untilMs === block.untilMs : !isBlock(old);

const shadowFacts = ({ keys, before, after, atMs }: ItemChange): FeedFact[] => {
  const data = after ? bodyOf(after) : {};
  if (before && isDeepStrictEqual(withoutReadings(bodyOf(before)), withoutReadings(data))) return [];
  return [
    {
      type: String(keys.sk).startsWith('CIRCUIT#') ? 'circuit.changed' : 'time_program.changed',
      atMs: timeOfChange(before, after) ?? atMs,
      gatewayId: String(keys.gatewayId),
      resource: resourceOf(keys),
      data,
    },
  ];
};

/** What GET of the item answers. */
const bodyOf = (item: Item): object => {
  const { kind, family } = changeItemOf(String(item.sk));
  if (kind === 'time-program') return timeProgramBody(toTimeProgram({ ...item }));
  return family === 'heating'
    ? heatingCircuitBody(toCircuit<'heating'>({ ...item }))
    : dhwCircuitBody(toCircuit<'dhw'>({ ...item }));
};

/** What is left of a body are the settings, and what is to become of them. */
const withoutReadings = (body: object) => {
  const { roomTemperatureCelsius, supplyTemperatureCelsius, waterTemperatureCelsius, reportedAt, ...rest } =
    body as Item;
  return rest;
};

/** The newest of the times that came with the change; undefined if it came with none. */
const timeOfChange = (before: Item | undefined, after: Item | undefined): number | undefined => {
  const [old, times] = [timesOf(before), timesOf(after)];
  const newTimes = times.filter((time, index) => time !== undefined && time !== old[index]) as number[];
  return newTimes.length > 0 ? Math.max(...newTimes) : undefined;
};

const timesOf = (item: Item | undefined) => {
  const { reportedAtMs, desiredBy, lastRefusal }: Partial<Shadow> = item ?? {};
  return [reportedAtMs, desiredBy?.atMs, lastRefusal?.atMs];
};

const resourceOf = ({ gatewayId, sk }: Item): string => {
  const { family, circuitId, ...rest } = changeItemOf(String(sk));
  const { path } = family === 'heating' ? heating : dhw;
  const circuit = `${path.replace('{gatewayId}', String(gatewayId))}/${circuitId}`;
  return 'timeProgramId' in rest ? `${circuit}/timePrograms/${rest.timeProgramId}` : circuit;
};
