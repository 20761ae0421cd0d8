import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { defaultPolicyQuota } from '../../../config/allowlist.ts';
import { isTrial } from '../../../config/trial.ts';
import { type Consumer, consumers } from '../../../lambdas/api/background-functions.ts';
import { type Table, type TableName, tables } from '../../../lambdas/api/tables.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import type { OperatorContext } from '../../cli/context.ts';
import { readAddressLists, readDeployedPolicy } from '../../companies/addresses.ts';
import { deployOf, findDrift } from '../../companies/drift.ts';
import { placeNames, placeOf } from '../../integrations/dead-letters.ts';
import { type Mapping, readDepth } from '../../integrations/integrations.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

const allowedSkewMs = 2000;

/** The clock of this machine sets the times of keys and audit rows. */
export const checkClock = async ({ connect, host }: OperatorContext): Promise<Finding[]> => {
  const { readStoreTimeMs } = await connect();
  const beforeMs = host.nowMs();
  // The store time is rounded up to whole seconds: on average, it is half a second too late.
  const storeMs = (await readStoreTimeMs()) - 500;
  const skewMs = Math.round((beforeMs + host.nowMs()) / 2 - storeMs);
  const what = `the clock of this machine is ${Math.abs(skewMs)} ms ${skewMs < 0 ? 'behind' : 'ahead of'} that of the store, within the accuracy of the store's time`;
  return [Math.abs(skewMs) < allowedSkewMs ? ok(what) : warning(what, 'set the clock; let it follow a time server')];
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
          'register fewer or wider blocks, have AWS raise the quota and set it as resourcePolicyQuota in the configuration, or move the allowlist to AWS WAF: docs/allowlist.md',
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
    'no alarm would go off if AWS WAF refused every partner',
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

/** The alarm and the dashboard use the configured quota: with a wrong one they warn too late or too early. */
export const checkConcurrencyQuota = async ({ openAccount, config, stage }: OperatorContext): Promise<Finding[]> => {
  const { readConcurrencyQuota } = await openAccount();
  if (!readConcurrencyQuota) return [ok('not applicable: a local run has none')];
  const { lambdaConcurrencyQuota: configured } = config.monitoring;
  const quota = await readConcurrencyQuota();
  if (quota === configured) return [ok(`the account has ${quota} concurrent executions, as configured`)];
  // A trial works with the quota of any account: its configuration has that of a new one.
  if (isTrial(stage) && quota !== undefined && quota > configured)
    return [ok(`the account has ${quota} concurrent executions, and a trial works with ${configured}`)];
  return [
    warning(
      `the account has ${quota} concurrent executions, config/${stage}.json says ${configured}`,
      `write ${quota} as monitoring.lambdaConcurrencyQuota there, and ${deployOf(stage)}; or ask Service Quotas for ${configured}`,
    ),
  ];
};

const notApplicable = ok('not applicable: a local run has none');

/** Dead letters need a person to handle them. */
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

/** If nothing invokes a consumer, its messages stay in the queue until they expire. */
export const checkConsumers = async ({ connect, stage }: OperatorContext): Promise<Finding[]> => {
  const { store, integrations } = await connect();
  if (!integrations.readMappings) return [notApplicable];
  const mappings = await integrations.readMappings();
  const found = await Promise.all(mappings.map((mapping) => checkMapping(store, mapping, stage)));
  const faults = found.filter((each) => each !== undefined);
  return faults.length > 0 ? faults : [ok(`all ${mappings.length} receive their messages`)];
};

/** Resolves to undefined if nothing is wrong. A mapping of a former stream stays enabled, and reads nothing. */
const checkMapping = async (
  store: Store,
  { consumer, state, sourceArn, lastResult }: Mapping,
  stage: string,
): Promise<Finding | undefined> => {
  if (!running.includes(state))
    return fault(
      `${consumer} is not invoked: its event source mapping is ${state}`,
      `enable it in Lambda, or ${deployOf(stage)}; its queue keeps messages for 14 days`,
    );
  const { source }: Consumer = consumers[consumer];
  if (!('stream' in source)) return undefined;
  const command = new DescribeTableCommand({ TableName: store.tableName(source.stream) });
  const { LatestStreamArn } = (await store.send(command)).Table ?? {};
  if (sourceArn !== LatestStreamArn)
    return fault(
      `${consumer} reads ${sourceArn}, and not the stream of ${source.stream}, which is ${LatestStreamArn ?? 'disabled'}`,
      `npm run deploy -- --stage ${stage} --reconnect-streams; docs/restore.md, A table was deleted`,
    );
  if (lastResult?.startsWith('PROBLEM'))
    return warning(
      `${consumer} could not process its last records (${lastResult})`,
      'look at its errors in the log, and run again',
    );
  return undefined;
};

/** A mapping that is being created or updated counts as running. */
const running = ['Enabled', 'Enabling', 'Creating', 'Updating'];

/** Without principals in the configuration, only the account itself should have access. */
export const checkNeighbours = async ({ connect, config, stage }: OperatorContext): Promise<Finding[]> => {
  const { neighbours } = config;
  const { readNeighbourAccess } = (await connect()).integrations;
  if (!neighbours) return [ok('none are configured: only the account itself has access to the queues and the bus')];
  if (!readNeighbourAccess) return [notApplicable];
  const principals = { portal: neighbours.portalPrincipals, 'gateway-backend': neighbours.gatewayBackendPrincipals };
  const shut = (await readNeighbourAccess()).filter(
    ({ neighbour, isAllowed }) => !isAllowed && principals[neighbour].length > 0,
  );
  if (shut.length === 0) return [ok('queues and bus allow the principals of the configuration')];
  return shut.map(({ neighbour, to }) =>
    warning(
      `the policy of the ${to} allows nobody, but config/${stage}.json names principals of ${neighbour}`,
      deployOf(stage),
    ),
  );
};

export const checkTables = async ({ connect }: OperatorContext): Promise<Finding[]> => {
  const { store } = await connect();
  const names = Object.keys(tables) as TableName[];
  const findings = await Promise.all(names.map((name) => checkTable(store, name)));
  const faults = findings.filter((each) => each !== undefined);
  return faults.length > 0 ? faults : [ok(`all ${names.length} exist and respond`)];
};

/** Resolves to undefined if nothing is wrong. */
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
    return fault(`${name} does not respond (${cause}: ${message})`, 'fix the cause, and run again');
  }
};

/** Returns the key of an item that no table has. A response to a read of it shows that the table can be read. */
const keyOfNothing = ({ partitionKey, sortKey }: Table) => ({
  [partitionKey]: 'nothing',
  ...(sortKey && { [sortKey]: 'nothing' }),
});
