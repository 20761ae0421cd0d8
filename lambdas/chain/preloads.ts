import type { FamilyName } from '../api/endpoints/circuit-endpoints.ts';
import type { Endpoint, PreloadedItem } from '../api/endpoints/endpoint.ts';
import { Problem } from '../api/problems.ts';
import {
  type ApplianceItemKey,
  circuitItemKey,
  gatewayItemKey,
  holidayItemKey,
  timeProgramItemKey,
  toCircuit,
  toGateway,
  toHoliday,
  toTimeProgram,
} from '../data/appliances/appliances.ts';
import type { Preloaded } from '../data/lookup.ts';
import { StoreUnavailableError } from '../data/store/attempts.ts';
import type { Circuit, Gateway, Holiday, TimeProgram } from '../domain/appliance.ts';
import type { Outcome } from './request.ts';

/** What an endpoint wants brought along of the appliance that its path names. */
export type Preloads<Row extends Endpoint> = Pick<Items<FamilyOf<Row>>, ItemOf<Row>>;

type Items<Family extends FamilyName> = {
  readonly gateway: Gateway;
  readonly circuit: Circuit<Family>;
  readonly timeProgram: TimeProgram;
  readonly holiday: Holiday;
};
type FamilyOf<Row> = Row extends { readonly family: infer Family extends FamilyName } ? Family : never;
type ItemOf<Row> = Row extends { readonly preloads: readonly (infer Item extends PreloadedItem)[] } ? Item : never;

type Call = { readonly preloaded: Promise<Preloaded> };

/** Takes the items that the row names from what was read, and refuses if one that the path names is not there. */
export function preloads<Row extends Endpoint>(row: Row): (call: Call) => Outcome<'preloads', Preloads<Row>>;
export function preloads({
  preloads: wanted = [],
}: Endpoint): (call: Call) => Outcome<'preloads', Partial<Items<FamilyName>>> {
  return async ({ preloaded }: Call) => {
    if (wanted.length === 0) return {};
    const { gateway, circuit, timeProgram, holiday } = await preloaded;
    if (wanted.includes('circuit') && !circuit) return new Problem('circuit-not-found');
    if (wanted.includes('timeProgram') && !timeProgram) return new Problem('time-program-not-found');
    // A gateway that has holidays reports that there is none.
    if (wanted.includes('holiday') && !holiday) return new Problem('not-supported', { feature: 'holidays' });
    // The contract covers the gateway: if it is absent, the fault is ours.
    if (wanted.includes('gateway') && !gateway)
      throw new StoreUnavailableError('The contract covers a gateway of which the Appliances table knows nothing yet.');
    return {
      ...(gateway && { gateway: toGateway(gateway) }),
      ...(circuit && { circuit: toCircuit(circuit) }),
      ...(timeProgram && { timeProgram: toTimeProgram(timeProgram) }),
      ...(holiday && { holiday: toHoliday(holiday) }),
    };
  };
}

type Ids = Readonly<Record<string, string>>;

/** The keys of the items that an endpoint wants brought along, by the names that it has for them. */
export const preloadsOf = ({ preloads: wanted = [], family }: Endpoint, ids: Ids): Record<string, ApplianceItemKey> =>
  Object.fromEntries(wanted.map((item) => [item, itemKeyOf(item, family, ids)]));

const itemKeyOf = (
  item: PreloadedItem,
  family: FamilyName | undefined,
  { gatewayId = '', circuitId = '', timeProgramId = '' }: Ids,
): ApplianceItemKey => {
  if (item === 'gateway') return gatewayItemKey(gatewayId);
  if (item === 'holiday') return holidayItemKey(gatewayId);
  if (!family) throw new Error(`A row that preloads a ${item} names its family.`);
  return item === 'circuit'
    ? circuitItemKey(gatewayId, family, circuitId)
    : timeProgramItemKey(gatewayId, family, circuitId, timeProgramId);
};
