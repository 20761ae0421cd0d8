import type { Parties } from '../domain/contract.ts';
import { endedBecause, type Requester } from '../domain/open-change.ts';
import { type DropContext, dropChange, type WhyDropped } from './appliances/dropped-changes.ts';
import { listOpenChanges, type OpenChange } from './appliances/open-since-index.ts';
import { companyKey, toCompany } from './contracts/companies.ts';
import { contractKey, toContract } from './contracts/contracts.ts';
import { retrying } from './store/attempts.ts';
import { batchGet } from './store/reads.ts';
import type { Store } from './store/store.ts';

/** What an ending drops: the changes of this company on these gateways that it may not make any more. */
type Ending = {
  readonly companyId: string;
  readonly gatewayIds: readonly string[];
  readonly requiredConsentVersion: number;
};

/**
 * Asks again for the permission of each open change of a company on these gateways, and drops those whose permission has ended.
 * Call it after the ending is stored: later requests are then refused. Resolves to the number of items with a dropped change.
 */
export const dropEndedChanges = async (
  store: Store,
  dropContext: DropContext,
  { companyId, gatewayIds, requiredConsentVersion }: Ending,
): Promise<number> => {
  let dropped = 0;
  const left = [...gatewayIds];
  const work = async () => {
    for (let gatewayId = left.pop(); gatewayId !== undefined; gatewayId = left.pop())
      dropped += await dropEndedOn(store, dropContext, gatewayId, { companyId, requiredConsentVersion });
  };
  await Promise.all(Array.from({ length: gatewaysAtOnce }, work));
  return dropped;
};

const gatewaysAtOnce = 25;

const dropEndedOn = (
  store: Store,
  dropContext: DropContext,
  gatewayId: string,
  { companyId, requiredConsentVersion }: Omit<Ending, 'gatewayIds'>,
): Promise<number> =>
  dropOnGateway(store, dropContext, gatewayId, {
    isAsked: (requester) => requester.companyId === companyId,
    whyDropped: (open) => {
      const { nowMs, recordedAtMs = nowMs } = dropContext;
      return readWhyEnded(store, { requiredConsentVersion, nowMs: recordedAtMs }, open);
    },
  });

/** Which requests of a gateway are asked about, and what is dropped of them. */
type Dropping = {
  readonly isAsked: (requester: Requester) => boolean;
  readonly whyDropped: (open: readonly OpenChange[]) => Promise<WhyDropped>;
};

/** Drops open changes of a gateway. Resolves to the number of items with a dropped change. */
export const dropOnGateway = (
  store: Store,
  dropContext: DropContext,
  gatewayId: string,
  { isAsked, whyDropped }: Dropping,
): Promise<number> => {
  let dropped = 0;
  // An attempt fails if one of the items was changed concurrently.
  return retrying({ to: 'drop the changes of a gateway', atMost: 10 }, async () => {
    const open = (await listOpenChanges(store, gatewayId)).filter((change) => requestersOf([change]).some(isAsked));
    if (open.length === 0) return dropped;
    const why = await whyDropped(open);
    let isOvertaken = false;
    for (const change of open) {
      const ofAsked: WhyDropped = (requester) => (isAsked(requester) ? why(requester) : undefined);
      const outcome = await dropChange(store, dropContext, change, ofAsked);
      if (outcome === 'dropped') dropped += 1;
      isOvertaken ||= outcome === 'overtaken';
    }
    return isOvertaken ? undefined : dropped;
  });
};

/**
 * Reads the permissions of all companies and owners who asked for open changes of a gateway, strongly consistent. The result
 * returns why each request must not be done any more, or undefined if it may: its permission has ended, or it has expired at
 * `nowMs` by the clock of the service.
 */
export const readWhyEnded = async (
  store: Store,
  { requiredConsentVersion, nowMs }: { readonly requiredConsentVersion: number; readonly nowMs: number },
  open: readonly OpenChange[],
): Promise<WhyDropped> => {
  const [first] = open;
  // DynamoDB refuses a batch without keys.
  if (!first) return () => undefined;
  const requesters = requestersOf(open);
  const [companies, contracts] = [store.tableName('Companies'), store.tableName('Contracts')];
  const items = await batchGet(store, {
    [companies]: {
      Keys: distinct(requesters.map(({ companyId }) => companyKey(companyId))),
      ConsistentRead: true,
    },
    [contracts]: { Keys: distinct(requesters.map(contractKey)), ConsistentRead: true },
  });
  const companyOf = new Map(items(companies).map((item) => [String(item.companyId), toCompany(item)]));
  const contractOf = new Map(items(contracts).map((item) => [String(item.contractId), toContract(item)]));
  const permissionsOf = ({ companyId, userId }: Parties) => ({
    company: companyOf.get(companyId),
    contract: contractOf.get(contractKey({ companyId, userId }).contractId),
    requiredConsentVersion,
  });
  return (requester) => endedBecause(permissionsOf(requester), first.gatewayId, requester, nowMs);
};

const requestersOf = (open: readonly OpenChange[]): Requester[] =>
  open.flatMap(({ desiredBy }) => Object.values(desiredBy));

/** DynamoDB refuses a batch that names a key twice. */
const distinct = <Key extends Readonly<Record<string, string>>>(keys: readonly Key[]): Key[] => [
  ...new Map(keys.map((key) => [Object.values(key).join(), key])).values(),
];
