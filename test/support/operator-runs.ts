import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { QueueWithDeadLetters } from '../../lambdas/api/queues.ts';
import { createApiKey } from '../../lambdas/data/api-keys/api-key-creation.ts';
import { deleteApiKey } from '../../lambdas/data/api-keys/api-key-deletion.ts';
import { findApiKey, keyItemKey, slotItemKey } from '../../lambdas/data/api-keys/api-keys.ts';
import { gatewayItemKey } from '../../lambdas/data/appliances/appliances.ts';
import { auditPut } from '../../lambdas/data/audit.ts';
import { changeCompany, companyKey, putCompany } from '../../lambdas/data/contracts/companies.ts';
import { changeContract, contractKey, findContract, putContract } from '../../lambdas/data/contracts/contracts.ts';
import { applyGrant, grantGateway, ownersKey } from '../../lambdas/data/contracts/grants.ts';
import { appendEvents } from '../../lambdas/data/feed/append.ts';
import { transact } from '../../lambdas/data/store/writes.ts';
import { idsKey, webhookKey } from '../../lambdas/data/webhooks/webhooks.ts';
import { defaultKeyOptions, generateKey, type KeyIdentity } from '../../lambdas/domain/api-key.ts';
import type { Contract } from '../../lambdas/domain/contract.ts';
import { toTimestamp } from '../../lambdas/domain/time.ts';
import { type AnyCommand, nameOf } from '../../operator/cli/command.ts';
import { commands } from '../../operator/commands.ts';
import { setGrants } from '../../operator/companies/grants.ts';
import { type PlaceName, placeNames, placeOf } from '../../operator/integrations/dead-letters.ts';
import { installGateway, putGateway } from './appliance.ts';
import { registerWebhook } from './call.ts';
import { companyEvent } from './feed.ts';
import { eventLike, reportGateway } from './messages.ts';
import { type Fixture, longAgoMs, means, type Run, shownRequest, store } from './operator-fixture.ts';
import { loseRow, putRow } from './restore.ts';
import { readAudit } from './store.ts';
import { putWebhook } from './webhooks.ts';
import { issueKey, onboard, partiesOf, startMs } from './world.ts';

export const run = (argv: Run['argv'], hooks: Omit<Run, 'argv'> = {}): Run => ({ argv, ...hooks });

/** Another operator changes company and contract at the same moment. The command names that operator from the audit log. */
const meetsConflict: Omit<Run, 'argv'> = {
  exit: 'conflict',
  beforeWrite: async ({ company, contract }) => {
    await putCompany(store, { ...company, name: 'Changed meanwhile' });
    await putContract(store, { ...contract, sinceMs: 0 });
  },
};

/** An event of the portal grants a gateway after the start of the command. */
const isGrantedMeanwhile = (gatewayId: string): Omit<Run, 'argv'> => ({
  exit: 'conflict',
  beforeWrite: ({ companyId, contract: { userId } }) => {
    const event = { companyId, nowMs: startMs + 1, requestId: 'r', operation: 'an event', actorKey: null };
    return applyGrant(store, event, { gatewayId, isGranted: true, userId });
  },
});

export const companyArgument = ({ companyId }: Fixture) => [companyId];

const leaveEvent = ({ companyId }: Fixture, atMs = startMs) =>
  appendEvents(
    store,
    companyId,
    [companyEvent(1, { gatewayId: 'gw-open', userId: partiesOf(companyId).userId, atMs })],
    startMs,
  );

/** A run, and the same run with a conflict. */
const changeRuns = (argv: Run['argv'] = companyArgument, before?: Run['before']): Run[] => [
  { argv, ...(before && { before }) },
  { argv, ...(before && { before }), ...meetsConflict },
];

/** Gives the owner a gateway of their own, with state. */
const installOwn = async (fixture: Fixture) => {
  const gatewayId = `gw-of-${fixture.companyId}`;
  await reportGateway(store, gatewayId, startMs, partiesOf(fixture.companyId));
  await grantGateway(store, partiesOf(fixture.companyId), gatewayId, startMs - 2000);
  // The erasure covers reports of before, by the clock of the store.
  await leaveEvent(fixture, Date.parse('2026-01-01'));
};

/** Gives the owner a gateway with open changes of the company. */
const askOfGateway = async (fixture: Fixture) => {
  const contract = { ...fixture.contract, acceptedConsentVersion: 3 };
  await askUnder(contract, askedGatewayOf(fixture));
  fixture.contract = (await findContract(store, contract)) ?? contract;
};

/** Gives another owner of the company a gateway with open changes of the company. */
const askOfFormer =
  (companyId: 'companyId' | 'newcomerId', gatewayIdOf: (fixture: Pick<Fixture, 'companyId'>) => string) =>
  async (fixture: Fixture) => {
    const former = { companyId: fixture[companyId], userId: 'another-owner', gateways: {} };
    await askUnder({ ...fixture.contract, acceptedConsentVersion: 3, ...former }, gatewayIdOf(fixture));
  };

const askUnder = async (contract: Contract, gatewayId: string) => {
  await putContract(store, contract);
  await reportGateway(store, gatewayId, startMs, contract);
  await grantGateway(store, contract, gatewayId, startMs - 2000);
};

const askedGatewayOf = ({ companyId }: Pick<Fixture, 'companyId'>): string => `gw-asked-${companyId}`;

const suspend = (fixture: Fixture) => {
  fixture.company = { ...fixture.company, state: 'suspended' };
  return putCompany(store, fixture.company);
};

const endContract = (fixture: Fixture) => {
  fixture.contract = { ...fixture.contract, state: 'ended' };
  return putContract(store, fixture.contract);
};

const registerInStore = (fixture: Fixture) => {
  const config = { ...fixture.options.config, registrations: 'store' as const, companies: [] };
  fixture.options = { ...fixture.options, config };
};

const openAnother = ({ contract }: Fixture) =>
  putContract(store, { ...contract, userId: 'another-owner', gateways: {} });

/** Leaves the file of a key that was never registered, as an interrupted run does. */
const leaveKeyFile = (companyId: keyof Pick<Fixture, 'companyId' | 'newcomerId'>) => async (fixture: Fixture) => {
  const id = fixture[companyId];
  writeFileSync(join(fixture.options.directory, `${id}.local.key`), `${generateKey(id, startMs).apiKey}\n`, {
    mode: 0o600,
  });
};

const slotOf = async (companyId: string, keyId: string) => (await findApiKey(store, companyId, keyId))?.slot ?? -1;

/** Gives the slot of an expired key to another key. */
const loseSlot = async ({ companyId, expired }: Fixture) => {
  const key = slotItemKey(companyId, await slotOf(companyId, expired.keyId));
  const Item = { ...key, ...defaultKeyOptions, keyId: 'another', expiresAtMs: startMs + 1 };
  await putRow('ApiKeys', Item);
};

/** Creates a key with the given one, and a third key with that one, which is then deleted. */
const hideDescendant = async ({ companyId, key }: Fixture) => {
  const act = { companyId, nowMs: startMs, requestId: 'r', operation: 'createApiKey' };
  const created = async (actorKey: KeyIdentity) => {
    const creation = await createApiKey(store, { ...act, actorKey });
    if (creation.outcome !== 'created') throw new Error(creation.outcome);
    return creation.key;
  };
  const child = await created(key);
  await created(child);
  await deleteApiKey(store, { ...act, actorKey: null }, child.keyId);
};

let restores = 0;
const toLast = () => ['--to', toTimestamp(startMs - restores * 1000)];

/** Restores the tables as they are. */
const restoreNow = async (fixture: Fixture) => {
  const argv = ['restore', 'start', '--to', toTimestamp(startMs - ++restores * 1000), '--reason', 'to see'];
  const { exit, stderr } = await means.operate(argv, fixture.options);
  expect(exit, stderr).toBe('ok');
};

/** Deletes rows of all tables: of another company a contract without audit rows, and slots without their key and webhook. */
const loseRows = async (fixture: Fixture) => {
  const { companyId, key } = fixture;
  await installGateway(store, { gatewayId: companyId });
  const [row] = await readAudit(store, companyId);
  const { webhookId } = await registerWebhook(store, companyId, 'https://hooks.acme.example/lost');
  const other = await onboard(store);
  await registerWebhook(store, other.companyId);
  const gone = await onboard(store);
  await restoreNow(fixture);
  await loseRow('Companies', companyKey(gone.companyId));
  await loseRow('Contracts', contractKey(gone.contract));
  await loseRow('ApiKeys', slotItemKey(companyId, await slotOf(companyId, key.keyId)));
  await loseRow('ApiKeys', keyItemKey(key));
  await loseRow('Appliances', gatewayItemKey(companyId));
  await loseRow('Appliances', ownersKey(companyId, 'gw-1'));
  await loseRow('AuditLog', { subject: companyId, sk: row?.sk });
  await loseRow('Webhooks', webhookKey(companyId, webhookId));
  await loseRow('Webhooks', idsKey(other.companyId));
  await putCompany(store, { ...other.company, name: 'Spoiled' });
  await putContract(store, { ...other.contract, sinceMs: 0 });
  await loseRow('ApiKeys', slotItemKey(other.companyId, await slotOf(other.companyId, other.key.keyId)));
};

/**
 * The audit log has everything as removed while all of it exists. An ended contract is lost, and another company lacks the
 * partition of a gateway.
 */
const reviveAll = async (fixture: Fixture) => {
  const { companyId, company, contract, key, expired } = fixture;
  const nowMs = startMs - 1000;
  const auditContext = { companyId, nowMs, requestId: 'r', operation: 'key revoke', actorKey: null };
  await setGrants(
    store,
    { ...auditContext, operation: 'gateway revoke' },
    { userId: contract.userId, gatewayIds: ['gw-1'], isGranted: false },
  );
  await grantGateway(store, partiesOf(companyId), 'gw-1', nowMs);
  await changeCompany(store, { ...auditContext, operation: 'company suspend' }, company, { state: 'suspended' });
  await putCompany(store, company);
  const ofOwner = { ...auditContext, operation: 'contract end', userId: contract.userId };
  await changeContract(store, ofOwner, contract, { state: 'ended' });
  await putContract(store, contract);
  await transact(store, {
    one: auditPut(store, auditContext, { keyId: key.keyId }),
    other: auditPut(store, auditContext, { keyId: expired.keyId }),
    lost: auditPut(store, { ...ofOwner, userId: 'lost' }, { after: { state: 'ended' } }),
  });
  const other = await onboard(store);
  await grantGateway(store, partiesOf(other.companyId), 'gw-1', nowMs);
  await loseRow('Appliances', ownersKey(other.companyId, 'gw-1'));
  restores++;
};

/** Adds a dead letter; the fixture keeps its id. */
const leaveLetter = async (place: PlaceName, fixture?: Fixture) => {
  const { queue, inboundQueue } = placeOf(place);
  const type = inboundQueue === 'portalEvents' ? 'portal.consent.withdrawn.v1' : 'circuit.reported.v1';
  const letterId = await means.integrations.send(
    queue,
    inboundQueue ? eventLike(type, { subject: 'nobody', timeMs: Date.now() }) : 'a letter',
    { groupId: queue.startsWith('requestedChanges') ? randomUUID() : undefined },
  );
  if (fixture) fixture.letterId = letterId;
};

/** Starts a slow task that moves dead letters back, more than it has counted, so that it can be cancelled. */
const leaveTask = async (place: PlaceName, queue: QueueWithDeadLetters) => {
  await leaveLetter(place);
  await means.integrations.startMove(queue, 1);
  for (let left = 0; left < 20; left++) await leaveLetter(place);
};

const webhook = ({ companyId, webhookId }: Fixture) => [companyId, webhookId];

const disableWebhook = ({ companyId, webhookId }: Fixture) =>
  putWebhook(companyId, { webhookId, state: 'disabled', verifiedAtMs: startMs });

/** The runs of each command that together call every AWS action in its row. */
const runs: Readonly<Record<string, readonly Run[]>> = {
  'company onboard': [
    run(({ newcomerId }) => [newcomerId]),
    run(({ newcomerId }) => [newcomerId], { before: askOfFormer('newcomerId', () => 'gw-0') }),
    run(({ newcomerId }) => [newcomerId], {
      exit: 'conflict',
      before: leaveKeyFile('newcomerId'),
      beforeWrite: async ({ company, newcomerId }) => putCompany(store, { ...company, companyId: newcomerId }),
    }),
  ],
  'company list': [run(() => [])],
  'company show': [run(companyArgument)],
  'company requests': [run(({ companyId }) => [companyId, '--since', '3h'])],
  'company set': [
    ...changeRuns(({ companyId }) => [companyId, '--name', 'Another name']),
    run(({ companyId }) => [companyId, '--add-addresses', '192.0.2.7/32'], {
      before: async (fixture) => registerInStore(fixture),
    }),
    run(({ companyId }) => [companyId, '--remove-addresses', '127.0.0.1/32'], {
      before: async (fixture) => {
        registerInStore(fixture);
        await endContract(fixture);
      },
    }),
  ],
  'company export': [run(() => [])],
  'company suspend': changeRuns(companyArgument, askOfGateway),
  'company resume': changeRuns(companyArgument, suspend),
  'company sync': changeRuns(),
  'key issue': [
    run(companyArgument),
    run(companyArgument, { before: leaveKeyFile('companyId') }),
    run(({ companyId }) => [companyId, '--access', 'read', '--allowed-cidrs', '127.0.0.1/32', '--label', 'Reporting']),
  ],
  'key list': [run(companyArgument)],
  'key revoke': [
    run(({ companyId, key }) => [companyId, key.keyId]),
    run(({ companyId, expired }) => [companyId, expired.keyId], { before: loseSlot }),
    run(({ companyId, key }) => [companyId, key.keyId, '--with-descendants'], { before: hideDescendant }),
  ],
  'key inspect': [run(() => [])],
  'key expiring': [run(() => ['--within', '365d'])],
  'contract open': [
    run(({ companyId }) => [companyId, '--user', 'another-owner']),
    run(({ companyId, contract }) => [companyId, '--user', contract.userId], { before: endContract }),
    run(({ companyId, contract }) => [companyId, '--user', contract.userId], { before: endContract, ...meetsConflict }),
  ],
  'contract list': [run(companyArgument)],
  'contract end': [...changeRuns(companyArgument, askOfGateway), run(({ companyId }) => [companyId, '--all'])],
  'contract show': [run(companyArgument)],
  'gateway grant': [
    run(({ companyId }) => [companyId, 'gw-2']),
    run(({ contract, ...fixture }) => [fixture.companyId, askedGatewayOf(fixture), '--user', contract.userId], {
      before: askOfFormer('companyId', askedGatewayOf),
    }),
  ],
  'gateway revoke': [run(({ companyId }) => [companyId, '--all'], { before: askOfGateway })],
  'gateway move': [
    run(
      (fixture) => [
        ...[fixture.companyId, askedGatewayOf(fixture), '--from', fixture.contract.userId],
        ...['--to', 'another-owner'],
      ],
      {
        before: async (fixture) => {
          await openAnother(fixture);
          await askOfGateway(fixture);
        },
      },
    ),
  ],
  'gateway import': [
    run(({ companyId }) => [companyId, 'gateways.csv']),
    run(({ companyId }) => [companyId, 'owners.csv']),
    run(({ companyId, contract }) => [companyId, 'gateways.csv', '--user', contract.userId], {
      before: askOfFormer('companyId', () => 'gw-3'),
    }),
  ],
  'consent accept': changeRuns(),
  'consent withdraw': changeRuns(companyArgument, askOfGateway),
  'consent status': [run(companyArgument)],
  'address check': [run(() => ['127.0.0.1'])],
  'request show': [
    run(() => [shownRequest.requestId], {
      before: ({ companyId, contract }) => {
        const { requestId, atMs } = shownRequest;
        const act = { companyId, nowMs: atMs, requestId, operation: 'updateHeatingCircuit', actorKey: null };
        const target = { gatewayId: 'gw-1', family: 'heating', circuitId: 'hc1', after: { roomSetpointCelsius: 22 } };
        return transact(store, { audit: auditPut(store, { ...act, userId: contract.userId }, target) });
      },
    }),
  ],
  'audit list': [
    run(({ companyId }) => ['--company', companyId]),
    run(({ contract }) => ['--user', contract.userId]),
    run(() => ['--gateway', 'gw-1']),
    run(() => ['--since', '1d']),
  ],
  'gateway show': [run(() => ['gw-open'])],
  'events list': [run(companyArgument, { before: (fixture) => leaveEvent(fixture) })],
  'events renew': [run(companyArgument, { before: (fixture) => leaveEvent(fixture) })],
  'change list': [run(() => ['--older-than', '10m'])],
  'change resend': [run((fixture) => [askedGatewayOf(fixture)], { before: askOfGateway })],
  'change drop': [
    run(({ companyId }) => [companyId, '--gateway', askedGatewayOf({ companyId })], { before: askOfGateway }),
  ],
  'webhook list': [run(companyArgument)],
  'webhook test': [run(webhook)],
  'webhook disable': [run(webhook)],
  'webhook enable': [run(webhook, { before: disableWebhook })],
  'integration status': [run(() => [], { exit: 'drift', before: () => leaveLetter('undelivered') })],
  'integration send': [run(() => ['withdrawal.json']), run(() => ['block.json'])],
  'integration unusable': [run(() => ['--since', '7d'])],
  'integration dead list': placeNames.map((place) => run(() => [place], { before: () => leaveLetter(place) })),
  'integration dead show': placeNames.map((place) =>
    run(({ letterId = '' }) => [place, letterId], { before: (fixture) => leaveLetter(place, fixture) }),
  ),
  'integration dead redrive': placeNames.flatMap((place) => {
    const { redrivenTo, queue } = placeOf(place);
    if (!redrivenTo) return [];
    const whole = run(() => [place], { before: () => leaveLetter(place) });
    if (queue !== `${redrivenTo}/deadLetters`) return whole;
    return [whole, run(() => [place], { before: () => leaveTask(place, redrivenTo) })];
  }),
  // Another letter stays in the queue.
  'integration dead drop': placeNames.map((place) =>
    run(({ letterId = '' }) => [place, letterId], {
      before: async (fixture) => {
        await leaveLetter(place);
        await leaveLetter(place, fixture);
      },
    }),
  ),
  'sandbox control': [
    run(() => ['offline', 'sim-acme-1'], {
      before: () =>
        putGateway(store, { gatewayId: 'sim-acme-1', connectivity: 'online', blocks: {}, faults: [] } as never),
    }),
  ],
  'owner export': [run(({ contract }) => [contract.userId], { before: leaveEvent })],
  'owner erase': [run(({ contract }) => [contract.userId], { before: installOwn })],
  'restore start': [run(() => ['--to', toTimestamp(startMs - ++restores * 1000)])],
  'restore status': [run(() => ['--to', toTimestamp(startMs - 60 * 60 * 1000)], { exit: 'drift' })],
  'restore copy': [
    run(toLast, { before: loseRows }),
    run(() => [...toLast(), '--differing', 'Companies'], { before: loseRows }),
  ],
  'restore reconcile': [
    run(toLast, { before: reviveAll, beforeWrite: loseSlot }),
    run(toLast, { before: reviveAll, ...isGrantedMeanwhile('gw-1') }),
  ],
  'trace resolve': [run(() => ['trace.txt'])],
  completion: [run(() => ['bash'])],
  // A company whose last key expired is an error.
  doctor: [
    run(() => [], {
      exit: 'error',
      before: async ({ company, newcomerId }) => {
        await putCompany(store, { ...company, companyId: newcomerId });
        await issueKey(store, newcomerId, longAgoMs);
      },
    }),
  ],
  smoke: [run(() => [], { exit: 'error' })],
};

/** Restores, and other commands that read all companies, run first, while there are few companies. */
const rankOf = ({ noun, requirements }: AnyCommand) =>
  noun === 'restore' ? 0 : requirements.tableActions.Companies?.includes('Scan') ? 1 : 2;

export const rows = commands
  .toSorted((one, other) => rankOf(one) - rankOf(other))
  .map((command) => [nameOf(command), command] as const);

/** The names of the commands that have runs. */
export const namesWithRuns: readonly string[] = Object.keys(runs);

export const runsOf = (name: string): readonly Run[] => {
  const found = runs[name];
  if (!found) throw new Error(remedyWithoutRuns(name));
  return found;
};

export const remedyWithoutRuns = (name: string): string =>
  `The command "${name}" has no command lines for its tests. Add them to runs in test/support/operator-runs.ts: one for each way in which it asks AWS for something else.`;
