import { randomUUID } from 'node:crypto';
import {
  type BatchGetCommand,
  type GetCommand,
  type PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { type TableName, tables } from '../../lambdas/api/tables.ts';
import type { AuditContext } from '../../lambdas/data/audit.ts';
import { findContract } from '../../lambdas/data/contracts/contracts.ts';
import { readGrants } from '../../lambdas/data/contracts/grants.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { findById, idsOf } from '../../lambdas/domain/by-id.ts';
import { grantIn, type Parties } from '../../lambdas/domain/contract.ts';
import { grantOf } from '../../lambdas/domain/grant.ts';
import type { Exchange } from './fault-proxy.ts';
import { partiesOf, startMs, theWorld } from './world.ts';

/**
 * A store that runs an action between the reads of a caller and its first transaction, a later transaction, or another
 * command.
 */
export const overtakenBy = <Sender extends Pick<Store, 'send'>>(
  store: Sender,
  act: () => Promise<unknown>,
  atWrite = 1,
  write:
    | typeof BatchGetCommand
    | typeof GetCommand
    | typeof PutCommand
    | typeof TransactWriteCommand
    | typeof UpdateCommand = TransactWriteCommand,
): Sender => {
  let writes = 0;
  const send = async (command: object, ...rest: never[]) => {
    if (command instanceof write && ++writes === atWrite) await act();
    return store.send(command as never, ...rest);
  };
  return { ...store, send: send as Store['send'] };
};

/** The store of a process that is killed at one of its calls. The call is sent or not, and nothing runs after it. */
export const killedAt = (store: Store, ordinal: number, isCallMade: boolean): Store & { readonly calls: string[] } => {
  const calls: string[] = [];
  const send = async (command: Parameters<Store['send']>[0]) => {
    if (calls.push(command.constructor.name) !== ordinal + 1) return store.send(command);
    if (isCallMade) await store.send(command);
    throw new Error('killed');
  };
  return { ...store, send: send as Store['send'], calls };
};

/**
 * Returns for every read of an action whether it asked for strong consistency. DynamoDB Local is always consistent, so only
 * the request shows it.
 */
export const consistencyOf = async (act: () => Promise<unknown>): Promise<boolean[]> => {
  const { proxy } = theWorld();
  proxy.begin();
  await act();
  return proxy.exchanges.flatMap(({ input }) =>
    Object.values(input.RequestItems ?? [input]).map((read) => (read as typeof input).ConsistentRead === true),
  );
};

/** Sets attributes of an item without conditions. */
export const setAttributes = (
  store: Store,
  table: TableName,
  Key: Record<string, unknown>,
  values: Readonly<Record<string, unknown>>,
) => {
  const names = Object.keys(values);
  return store.send(
    new UpdateCommand({
      TableName: store.tableName(table),
      Key,
      UpdateExpression: `SET ${names.map((name) => `#${name} = :${name}`).join(', ')}`,
      ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
      ExpressionAttributeValues: Object.fromEntries(names.map((name) => [`:${name}`, values[name]])),
    }),
  );
};

/** Reads all audit rows of a company. */
export const readAudit = async (store: Store, companyId: string): Promise<Record<string, unknown>[]> => {
  const { Items = [] } = await store.send(
    new QueryCommand({
      TableName: store.tableName('AuditLog'),
      KeyConditionExpression: 'subject = :companyId',
      ExpressionAttributeValues: { ':companyId': companyId },
    }),
  );
  return Items;
};

/** Lists the ids of the gateways that the contract of a company covers, sorted. */
export const gatewaysOf = async (store: Store, companyId: string): Promise<string[]> =>
  idsOf((await findContract(store, partiesOf(companyId)))?.gateways ?? {}).sort();

/** Reads when a gateway was granted, from the contract and from its partition, and from when its state counts. */
export const readGrantTimes = async (store: Store, parties: Parties, gatewayId: string) => {
  const { contract, ownersOf } = await readGrants(store, parties, [gatewayId]);
  const known = findById(ownersOf(gatewayId), parties.userId);
  return {
    grantedAtMs: contract && grantIn(contract, gatewayId)?.grantedAtMs,
    ownerGrantedAtMs: known?.isGranted ? grantOf(known).grantedAtMs : undefined,
    changedAtMs: known?.countsFromMs,
  };
};

/** Changes a company as the operator. */
export const operatorActOn = (companyId: string, nowMs: number = startMs): AuditContext => ({
  companyId,
  nowMs,
  requestId: randomUUID(),
  operation: 'test',
  actorKey: null,
});

/** Lists the IAM actions of exchanges with the store, in order: `Query on ApiKeys`. */
export const usedActions = (store: Store, exchanges: readonly Exchange[]): string[] =>
  [
    ...new Set(
      exchanges
        .flatMap(accessesOf)
        .map(([action, table, index]) =>
          [`${action} on ${logicalName(store, table)}`, ...(index ? ['index', index] : [])].join('/'),
        ),
    ),
  ].toSorted();

/** The actions that IAM checks: each part of a transaction is an action. */
const accessesOf = ({ action, input }: Exchange): [action: string, table: string, index?: string][] => {
  if (action === 'BatchGetItem') return Object.keys(input.RequestItems).map((table) => [action, table]);
  if (!input.TransactItems) return [[action, input.TableName, input.IndexName]];
  return input.TransactItems.flatMap((item: Record<string, { TableName: string }>) =>
    Object.entries(item).map(([part, { TableName }]) => [
      part === 'ConditionCheck' ? 'ConditionCheckItem' : `${part}Item`,
      TableName,
    ]),
  );
};

const logicalName = (store: Store, physicalName: string) =>
  (Object.keys(tables) as TableName[]).find((name) => store.tableName(name) === physicalName);

/** Calls a function `count` times, `width` of them at a time. */
export const inFlight = async <T>(width: number, count: number, act: (index: number) => Promise<T>): Promise<T[]> => {
  const results: T[] = [];
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const index = next++;
      results[index] = await act(index);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  return results;
};
