import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { defaultPolicyQuota } from '../../config/allowlist.ts';
import { maxValidKeysPerCompany, maxWebhooksPerCompany } from '../../lambdas/api/limits.ts';
import { type Table, type TableName, tables } from '../../lambdas/api/tables.ts';
import { readTakenSlots } from '../../lambdas/data/api-keys/api-keys.ts';
import { listCompanies } from '../../lambdas/data/contracts/companies.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { listWebhooks } from '../../lambdas/data/webhooks/webhooks.ts';
import type { Company } from '../../lambdas/domain/company.ts';
import { canRenew, firstLastKey, isStranded } from '../../lambdas/domain/key-notices.ts';
import { toTimestamp } from '../../lambdas/domain/time.ts';
import type { OperatorContext } from '../cli/context.ts';
import { someOf } from '../cli/output.ts';
import { findAbsentGateways } from '../companies/absent-gateways.ts';
import { readAddressLists, readDeployedPolicy } from '../companies/addresses.ts';
import { readOnboarded } from '../companies/admission.ts';
import { deployOf, findDrift, findGrantDrift } from '../companies/drift.ts';
import { dayMs, daysLeft, keysInWords, readAllKeys } from '../companies/keys.ts';
import { placeNames, placeOf } from '../integrations/dead-letters.ts';
import { readDepth } from '../integrations/integrations.ts';

const levels = ['ok', 'warning', 'error'] as const;

/** What a check has found. */
export const finding = z.strictObject({
  check: z.string(),
  level: z.enum(levels),
  what: z.string(),
  /** Null if nothing is to be done. */
  remedy: z.string().nullable(),
});

export type Finding = Omit<z.output<typeof finding>, 'check'>;

const ok = (what: string): Finding => ({ level: 'ok', what, remedy: null });
export const warning = (what: string, remedy: string): Finding => ({ level: 'warning', what, remedy });
export const fault = (what: string, remedy: string): Finding => ({ level: 'error', what, remedy });

const allowedSkewMs = 2000;

/** Keys and audit rows are dated by this machine. */
export const checkClock = async ({ connect, host }: OperatorContext): Promise<Finding[]> => {
  const { readStoreTimeMs } = await connect();
  const beforeMs = host.nowMs();
  // Whole seconds, rounded up: on average, half a second less has passed.
  const storeMs = (await readStoreTimeMs()) - 500;
  const skewMs = Math.round((beforeMs + host.nowMs()) / 2 - storeMs);
  const what = `the clock of this machine is ${Math.abs(skewMs)} ms ${skewMs < 0 ? 'behind' : 'ahead of'} that of the store, as far as it tells`;
  return [Math.abs(skewMs) < allowedSkewMs ? ok(what) : warning(what, 'set the clock; let it follow a time server')];
};

export const checkGateways = async ({ config, connect }: OperatorContext): Promise<Finding[]> => {
  const { store } = await connect();
  const drift = await findGrantDrift(store, config.companies);
  if (drift.length === 0) return [ok('no contract differs in gateways from what the configuration names')];
  return drift.map(({ companyId, what, remedy }) => warning(`${companyId}: ${what}`, remedy));
};

/** Finds gateways that partners are refused as absent, although a contract covers them. */
export const checkAbsentGateways = async ({ connect }: OperatorContext): Promise<Finding[]> => {
  const { store } = await connect();
  const companyIds = (await listCompanies(store)).map(({ companyId }) => companyId);
  const { absent, count, isComplete } = await findAbsentGateways(store, companyIds);
  const looked = isComplete ? `all ${count} that contracts cover` : `${count} that contracts cover, not all,`;
  if (absent.length === 0) return [ok(`${looked} are described`)];
  return [...Map.groupBy(absent, ({ companyId }) => companyId)].map(([companyId, those]) => {
    const [{ gatewayId = '', userId = '' } = {}] = those;
    const ids = those.map((each) => each.gatewayId).sort();
    return warning(
      `${companyId}: its contracts cover ${someOf(ids)}, not described yet or removed: each request for it is 404 gateway-not-found`,
      `let the gateway backend describe it (gateway.described.v1), or gateway revoke ${companyId} ${gatewayId} --user ${userId}`,
    );
  });
};

/** The companies of which not all contracts have ended. */
const stillThere = async (store: Store) => {
  const { onboarded, leftIds } = await readOnboarded(store);
  return onboarded.filter(({ companyId }) => !leftIds.has(companyId));
};

const soonDays = 14;

/** Finds companies that cannot call, soon cannot, or cannot renew, unless their contract has ended. */
export const checkKeys = async ({ connect, nowMs }: OperatorContext): Promise<Finding[]> => {
  const { store } = await connect();
  const findings = (await Promise.all((await stillThere(store)).map((each) => checkKeysOf(store, each, nowMs)))).flat();
  return findings.length > 0
    ? findings
    : [ok(`each company has a key for ${soonDays} days or more, and room for another`)];
};

const checkKeysOf = async (store: Store, company: Company, nowMs: number): Promise<Finding[]> => {
  const { companyId, allowedCidrs: registered } = company;
  const slots = await readTakenSlots(store, companyId, nowMs);
  const findings: Finding[] = [];
  if (slots.length === 0) findings.push(await withoutValidKey(store, companyId));
  const stranded = slots.filter((slot) => isStranded(slot, registered));
  if (stranded.length > 0)
    findings.push(
      warning(
        `${keysInWords(stranded)} of ${companyId} can be used from no registered address`,
        `tell the company: it deletes them, or registers their addresses again, which key list ${companyId} shows`,
      ),
    );
  if (slots.length > 0 && !slots.some((slot) => canRenew(slot, registered)))
    findings.push(
      warning(`no valid key of ${companyId} can create another`, `when the company asks: key issue ${companyId}`),
    );
  const lastMs = firstLastKey(slots, registered)?.expiresAtMs;
  if (lastMs !== undefined && lastMs <= nowMs + soonDays * dayMs)
    findings.push(
      warning(
        `the last key of ${companyId} runs out at ${toTimestamp(lastMs)}, in ${daysLeft(lastMs, nowMs)} days`,
        'tell the company to make a new one with it: POST /api-keys',
      ),
    );
  if (slots.length === maxValidKeysPerCompany)
    findings.push(
      warning(
        `${companyId} has ${slots.length} valid keys and cannot make another`,
        `tell the company to delete those that it does not use: key list ${companyId} shows them`,
      ),
    );
  return findings;
};

const withoutValidKey = async (store: Store, companyId: string): Promise<Finding> => {
  const [last] = await readAllKeys(store, companyId);
  const remedy = `when the company asks: key issue ${companyId}; where it has left: contract end ${companyId} --all`;
  return last
    ? fault(`the last key of ${companyId} ran out at ${toTimestamp(last.expiresAtMs)}`, remedy)
    : warning(`${companyId} has no key`, remedy);
};

const fullShare = 0.9;

export const checkPolicyLength = async ({ config, connect }: OperatorContext): Promise<Finding[]> => {
  const { lengthCharacters } = await readDeployedPolicy(await connect());
  const { resourcePolicyQuota: quota = defaultPolicyQuota } = config;
  const what = `the deployed resource policy takes ${lengthCharacters} of ${quota} characters`;
  return [
    lengthCharacters < fullShare * quota
      ? ok(what)
      : warning(
          what,
          'register fewer or wider blocks, let AWS raise the quota and write it as resourcePolicyQuota into the configuration, or leave the allowlist to AWS WAF: docs/allowlist.md',
        ),
  ];
};

export const checkIpSets = async ({ connect, config }: OperatorContext): Promise<Finding[]> => {
  const { ipSets } = await connect();
  if (!ipSets) return [ok('not applicable: the resource policy has the allowlist')];
  const fill = (await ipSets.readFill()).map(({ family, count, capacity }) => {
    const what = `the IP sets for ${family} hold ${count} of ${capacity} blocks`;
    const remedy = 'register fewer or wider blocks, or add a set: ipSetCounts in infra/api/admission.ts, then deploy';
    return count < fullShare * capacity ? ok(what) : warning(what, remedy);
  });
  const { fewestRequestsPer15Minutes, canaryCompanyId } = config.monitoring;
  if (fewestRequestsPer15Minutes !== undefined || canaryCompanyId !== undefined) return fill;
  const silent = warning(
    'no alarm would ring if AWS WAF refused every partner',
    'set monitoring.fewestRequestsPer15Minutes or monitoring.canaryCompanyId, then deploy',
  );
  return [...fill, silent];
};

export const checkAddresses = async (context: OperatorContext): Promise<Finding[]> => {
  const lists = await readAddressLists(context);
  const drift = findDrift(lists, context.stage);
  const others = lists.admittedCidrs ? ', deployed policy and IP sets' : ' and deployed policy';
  if (drift.length === 0) return [ok(`configuration, contracts${others} are in line`)];
  return drift.map(({ companyId, what, remedy }) => warning(companyId ? `${companyId}: ${what}` : what, remedy));
};

/** The alarm and the dashboard measure by the configured quota: with a wrong one they warn too late, or too early. */
export const checkConcurrencyQuota = async ({ openAccount, config, stage }: OperatorContext): Promise<Finding[]> => {
  const { readConcurrencyQuota } = await openAccount();
  if (!readConcurrencyQuota) return [ok('not applicable: a local run has none')];
  const { lambdaConcurrencyQuota: configured } = config.monitoring;
  const quota = await readConcurrencyQuota();
  if (quota === configured) return [ok(`the account has ${quota} concurrent executions, as configured`)];
  return [
    warning(
      `the account has ${quota} concurrent executions, config/${stage}.json says ${configured}`,
      `write ${quota} as monitoring.lambdaConcurrencyQuota there, and ${deployOf(stage)}; or ask Service Quotas for ${configured}`,
    ),
  ];
};

const notApplicable = ok('not applicable: a local run has none');

/** Dead letters wait for a person. */
export const checkDeadLetters = async ({ connect }: OperatorContext): Promise<Finding[]> => {
  const { integrations } = await connect();
  const found = await Promise.all(
    placeNames.map(async (place) => {
      const { waiting, inFlight } = await readDepth(integrations, placeOf(place).queue);
      return waiting + inFlight > 0
        ? [warning(`dead letters in ${place}: ${waiting + inFlight}`, `integration dead list ${place}`)]
        : [];
    }),
  );
  const findings = found.flat();
  return findings.length > 0 ? findings : [ok('no dead letters')];
};

/** A consumer that nothing calls leaves its messages where they are until they are deleted for their age. */
export const checkConsumers = async ({ connect, stage }: OperatorContext): Promise<Finding[]> => {
  const { readMappings } = (await connect()).integrations;
  if (!readMappings) return [notApplicable];
  const mappings = await readMappings();
  const stopped = mappings.filter(({ state }) => !running.includes(state));
  if (stopped.length === 0) return [ok(`all ${mappings.length} are called with their messages`)];
  return stopped.map(({ consumer, state }) =>
    fault(
      `${consumer} is not called: its event source mapping is ${state}`,
      `enable it in Lambda, or ${deployOf(stage)}; what is in its queue is kept for 14 days`,
    ),
  );
};

/** A mapping that is being changed goes on. */
const running = ['Enabled', 'Enabling', 'Creating', 'Updating'];

/** Without principals in the configuration nobody outside of the account is meant to get in. */
export const checkNeighbours = async ({ connect, config, stage }: OperatorContext): Promise<Finding[]> => {
  const { neighbours } = config;
  const { readNeighbourAccess } = (await connect()).integrations;
  if (!neighbours) return [ok('none are configured: only the account itself reaches the queues and the bus')];
  if (!readNeighbourAccess) return [notApplicable];
  const principals = { portal: neighbours.portalPrincipals, 'gateway-backend': neighbours.gatewayBackendPrincipals };
  const shut = (await readNeighbourAccess()).filter(
    ({ neighbour, isAllowed }) => !isAllowed && principals[neighbour].length > 0,
  );
  if (shut.length === 0) return [ok('queues and bus let in those whom the configuration names')];
  return shut.map(({ neighbour, to }) =>
    warning(
      `the policy of the ${to} lets nobody in, and config/${stage}.json names principals of ${neighbour}`,
      deployOf(stage),
    ),
  );
};

export const checkTables = async ({ connect }: OperatorContext): Promise<Finding[]> => {
  const { store } = await connect();
  const names = Object.keys(tables) as TableName[];
  const findings = await Promise.all(names.map((name) => checkTable(store, name)));
  const faults = findings.filter((each) => each !== undefined);
  return faults.length > 0 ? faults : [ok(`all ${names.length} are there and answer`)];
};

/** Undefined if nothing is wrong. */
const checkTable = async (store: Store, name: TableName): Promise<Finding | undefined> => {
  try {
    const { Table: described } = await store.send(new DescribeTableCommand({ TableName: store.tableName(name) }));
    const status = described?.TableStatus;
    if (status !== 'ACTIVE' && status !== 'UPDATING')
      return fault(`${name} is ${status}`, 'wait, and run again; then look at the stack in CloudFormation');
    await store.send(new GetCommand({ TableName: store.tableName(name), Key: keyOfNothing(tables[name]) }));
    return undefined;
  } catch (error) {
    const { name: cause, message } = error as Error;
    return fault(`${name} does not answer (${cause}: ${message})`, 'mend what it says, and run again');
  }
};

/** The key of an item that no table has: an answer to it shows that the table can be read. */
const keyOfNothing = ({ partitionKey, sortKey }: Table) => ({
  [partitionKey]: 'nothing',
  ...(sortKey && { [sortKey]: 'nothing' }),
});

/** Finds webhooks that were disabled as unreachable, whose companies may not know it; those of a contract that has ended get no messages. */
export const checkWebhooks = async ({ connect }: OperatorContext): Promise<Finding[]> => {
  const { store } = await connect();
  const findings = (
    await Promise.all((await stillThere(store)).map(({ companyId }) => checkWebhooksOf(store, companyId)))
  ).flat();
  return findings.length > 0 ? findings : [ok('none is disabled as unreachable')];
};

const checkWebhooksOf = async (store: Store, companyId: string): Promise<Finding[]> => {
  const { webhooks } = await listWebhooks(store, companyId, maxWebhooksPerCompany);
  return webhooks
    .filter(({ state, disabledBecause }) => state === 'disabled' && disabledBecause === 'unreachable')
    .map(({ webhookId, disabledAtMs = 0 }) =>
      warning(
        `${webhookId} of ${companyId} could not be reached for too long, and is disabled since ${toTimestamp(disabledAtMs)}`,
        `tell the company; when its receiver works again: webhook enable ${companyId} ${webhookId}`,
      ),
    );
};
