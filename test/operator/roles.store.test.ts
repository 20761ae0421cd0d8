import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchWriteCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  PutCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadStageConfig } from '../../config/load.ts';
import type { StageConfig } from '../../config/schema.ts';
import type { TableName } from '../../lambdas/api/tables.ts';
import { findApiKey, keyItemKey, slotItemKey } from '../../lambdas/data/api-keys/api-keys.ts';
import { gatewayItemKey } from '../../lambdas/data/appliances/appliances.ts';
import { auditPut } from '../../lambdas/data/audit.ts';
import { changeContract, findContract, grantKey, putContract } from '../../lambdas/data/contracts/contracts.ts';
import { applyGrant, grantGateway, reverseGrantKey } from '../../lambdas/data/contracts/grants.ts';
import { appendEvents } from '../../lambdas/data/feed/append.ts';
import { transact } from '../../lambdas/data/store/writes.ts';
import { idsKey, webhookKey } from '../../lambdas/data/webhooks/webhooks.ts';
import { generateKey } from '../../lambdas/domain/api-key.ts';
import { toTimestamp } from '../../lambdas/domain/time.ts';
import { type AnyCommand, nameOf } from '../../operator/cli/command.ts';
import { permissionsOf, type Role, roleOf, roles } from '../../operator/cli/roles.ts';
import { commands } from '../../operator/commands.ts';
import { setGrants } from '../../operator/companies/grants.ts';
import type { ExitCode } from '../../operator/error.ts';
import { type PlaceName, placeNames, placeOf } from '../../operator/seams/dead-letters.ts';
import { putGateway } from '../support/appliance.ts';
import { registerWebhook } from '../support/call.ts';
import { campaign, sampleOf } from '../support/campaign.ts';
import { companyEvent } from '../support/feed.ts';
import { eventLike, reportGateway } from '../support/messages.ts';
import { temporaryDirectory } from '../support/operator.ts';
import { openOperatorRoles } from '../support/operator-roles.ts';
import { readAudit } from '../support/store.ts';
import { putWebhook } from '../support/webhooks.ts';
import { issueKey, onboard, openWorld, startMs } from '../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
let aws: Awaited<ReturnType<typeof openOperatorRoles>>;
beforeAll(async () => {
  world = await openWorld();
  aws = await openOperatorRoles(world);
  await reportGateway(world.store, 'gw-open');
});
afterAll(() => aws.close());

/** A company in good order, and one that stands in the configuration only, in the folder of a run. */
type Fixture = Awaited<ReturnType<typeof prepare>> & { letterId?: string };

/** A command line; what is to happen before it, or within it before its transaction is sent. */
type Run = {
  readonly argv: (fixture: Fixture) => readonly string[];
  /** How it ends; `ok` without it. */
  readonly exit?: ExitCode;
  readonly before?: (fixture: Fixture) => Promise<unknown>;
  readonly beforeWrite?: (fixture: Fixture) => Promise<unknown>;
};

const run = (argv: Run['argv'], hooks: Omit<Run, 'argv'> = {}): Run => ({ argv, ...hooks });

/** Somebody else changes the contract at the same moment; the command tells from the audit log who it was. */
const meetsConflict: Omit<Run, 'argv'> = {
  exit: 'conflict',
  beforeWrite: ({ contract }) => putContract(world.store, { ...contract, name: 'Changed meanwhile' }),
};

/** An event of the portal grants a gateway, later than the command began. */
const isGrantedMeanwhile = (gatewayId: string): Omit<Run, 'argv'> => ({
  exit: 'conflict',
  beforeWrite: ({ companyId, contract: { userId } }) => {
    const event = { companyId, nowMs: startMs + 1, requestId: 'r', operation: 'an event', actorKey: null };
    return applyGrant(world.store, event, { gatewayId, isGranted: true, userId });
  },
});

const ofCompany = ({ companyId }: Fixture) => [companyId];

const leaveEvent = ({ companyId }: Fixture) =>
  appendEvents(world.store, companyId, [companyEvent(1, { gatewayId: 'gw-open' })], startMs);

/** A run and the same one with a conflict. */
const contractChange = (argv: Run['argv'] = ofCompany, before?: Run['before']): Run[] => [
  { argv, ...(before && { before }) },
  { argv, ...(before && { before }), ...meetsConflict },
];

const inState = (state: 'suspended') => (fixture: Fixture) => {
  fixture.contract = { ...fixture.contract, state };
  return putContract(world.store, fixture.contract);
};

/** Leaves the file of a key that was never registered, as a run does that is broken off. */
const leaveKeyFile = (companyId: keyof Pick<Fixture, 'companyId' | 'newcomerId'>) => async (fixture: Fixture) => {
  const id = fixture[companyId];
  writeFileSync(join(fixture.directory, `${id}.local.key`), `${generateKey(id, startMs).apiKey}\n`, { mode: 0o600 });
};

const slotOf = async (companyId: string, keyId: string) =>
  (await findApiKey(world.store, companyId, keyId))?.slot ?? -1;

/** Lets the slot of an expired key be another key's. */
const loseSlot = async ({ companyId, expired }: Fixture) => {
  const key = slotItemKey(companyId, await slotOf(companyId, expired.keyId));
  const Item = { ...key, keyId: 'another', expiresAtMs: startMs + 1 };
  await world.store.send(new PutCommand({ TableName: world.store.tableName('ApiKeys'), Item }));
};

let restores = 0;
const toLast = () => ['--to', toTimestamp(startMs - restores * 1000)];
const deleteRow = (table: TableName, Key: Record<string, unknown>) =>
  world.store.send(new DeleteCommand({ TableName: world.store.tableName(table), Key }));

/** Restores the tables as they are. */
const restoreNow = async (fixture: Fixture) => {
  const argv = ['restore', 'start', '--to', toTimestamp(startMs - ++restores * 1000), '--reason', 'to see'];
  const { exit, stderr } = await aws.operateAs('operator', argv, { ...world, config: fixture.config });
  expect(exit, stderr).toBe('ok');
};

/** Loses rows of all tables; of another company a contract off the record, and places without their key and webhook. */
const loseRows = async (fixture: Fixture) => {
  const { companyId, key } = fixture;
  await putGateway(world.store, { gatewayId: companyId, connectivity: 'online', blocks: {} } as never);
  const [row] = await readAudit(world.store, companyId);
  const { webhookId } = await registerWebhook(world.store, companyId);
  const other = await onboard(world.store);
  await registerWebhook(world.store, other.companyId);
  await restoreNow(fixture);
  await deleteRow('ApiKeys', slotItemKey(companyId, await slotOf(companyId, key.keyId)));
  await deleteRow('ApiKeys', keyItemKey(key));
  await deleteRow('Contracts', grantKey(companyId, 'gw-1'));
  await deleteRow('Appliances', gatewayItemKey(companyId));
  await deleteRow('Appliances', reverseGrantKey(companyId, 'gw-1'));
  await deleteRow('AuditLog', { subject: companyId, sk: row?.sk });
  await deleteRow('Webhooks', webhookKey(companyId, webhookId));
  await deleteRow('Webhooks', idsKey(other.companyId));
  await putContract(world.store, { ...other.contract, name: 'Spoiled' });
  await deleteRow('ApiKeys', slotItemKey(other.companyId, await slotOf(other.companyId, other.key.keyId)));
};

/** All is on record as taken away, and there again. */
const reviveAll = async (fixture: Fixture) => {
  const { companyId, contract, key, expired } = fixture;
  const nowMs = startMs - 1000;
  const auditContext = { companyId, nowMs, requestId: 'r', operation: 'key revoke', actorKey: null };
  await setGrants(world.store, { ...auditContext, operation: 'gateway revoke' }, ['gw-1'], false);
  await grantGateway(world.store, companyId, 'gw-1', nowMs);
  await changeContract(world.store, { ...auditContext, operation: 'contract end' }, contract, { state: 'ended' });
  await putContract(world.store, contract);
  await transact(world.store, {
    one: auditPut(world.store, auditContext, { keyId: key.keyId }),
    other: auditPut(world.store, auditContext, { keyId: expired.keyId }),
  });
  restores++;
};

/** Leaves a message among those that could not be taken or handed on; the fixture keeps its id. */
const leaveLetter = async (place: PlaceName, fixture?: Fixture) => {
  const { queue, inboundQueue } = placeOf(place);
  const type = inboundQueue === 'portalEvents' ? 'portal.consent.withdrawn.v1' : 'circuit.reported.v1';
  const letterId = await aws.seams.send(
    queue,
    inboundQueue ? eventLike(type, { subject: 'nobody', timeMs: Date.now() }) : 'a letter',
    queue.startsWith('requestedChanges') ? randomUUID() : undefined,
  );
  if (fixture) fixture.letterId = letterId;
};

const webhook = ({ companyId, webhookId }: Fixture) => [companyId, webhookId];

const disableWebhook = ({ companyId, webhookId }: Fixture) =>
  putWebhook(companyId, { webhookId, state: 'disabled', verifiedAtMs: startMs });

/** All ways of a command that ask AWS for something else: together they need what its row says, all of it. */
const runs: Readonly<Record<string, readonly Run[]>> = {
  'company onboard': [
    run(({ newcomerId }) => [newcomerId]),
    run(({ newcomerId }) => [newcomerId], { before: leaveKeyFile('newcomerId') }),
    // A grant that an earlier attempt has left is taken back.
    run(({ newcomerId }) => [newcomerId], {
      before: ({ newcomerId }) => grantGateway(world.store, newcomerId, 'gw-left', startMs),
    }),
    run(({ newcomerId }) => [newcomerId], {
      exit: 'conflict',
      before: leaveKeyFile('newcomerId'),
      beforeWrite: async ({ contract, newcomerId }) =>
        putContract(world.store, { ...contract, companyId: newcomerId, name: 'Onboarded meanwhile' }),
    }),
  ],
  'company list': [run(() => [])],
  'company show': [run(ofCompany)],
  'company suspend': contractChange(),
  'company resume': contractChange(ofCompany, inState('suspended')),
  'company sync': [...contractChange(), run(({ companyId }) => [companyId, '--check'], { exit: 'drift' })],
  'key issue': [run(ofCompany), run(ofCompany, { before: leaveKeyFile('companyId') })],
  'key list': [run(ofCompany)],
  'key revoke': [
    run(({ companyId, key }) => [companyId, key.keyId]),
    run(({ companyId, expired }) => [companyId, expired.keyId], { before: loseSlot }),
  ],
  'key inspect': [run(() => [])],
  'key expiring': [run(() => ['--within', '365d'])],
  'contract set': [
    ...contractChange(({ companyId }) => [companyId, '--name', 'Another name']),
    run(({ companyId }) => [companyId, '--user-id', 'somebody'], { exit: 'refused' }),
  ],
  'contract end': contractChange(),
  'contract show': [run(ofCompany)],
  'gateway grant': [run(({ companyId }) => [companyId, 'gw-2'])],
  'gateway revoke': [run(({ companyId }) => [companyId, '--all'])],
  'gateway import': [run(({ companyId }) => [companyId, 'gateways.csv'])],
  'consent accept': contractChange(),
  'consent withdraw': contractChange(),
  'consent status': [run(ofCompany)],
  'address check': [run(() => ['127.0.0.1'])],
  'audit list': [
    run(({ companyId }) => ['--company', companyId]),
    run(({ contract }) => ['--user', contract.userId]),
    run(() => ['--gateway', 'gw-1']),
  ],
  'gateway show': [run(() => ['gw-open'])],
  'events list': [run(ofCompany, { before: leaveEvent })],
  'events renew': [run(ofCompany, { before: leaveEvent })],
  'change list': [run(() => [])],
  'change resend': [run(() => ['gw-open'])],
  'webhook list': [run(ofCompany)],
  'webhook test': [run(webhook)],
  'webhook disable': [run(webhook)],
  'webhook enable': [run(webhook, { before: disableWebhook })],
  'seam status': [run(() => [], { exit: 'drift', before: () => leaveLetter('undelivered') })],
  'seam send': [run(() => ['withdrawal.json']), run(() => ['block.json'])],
  'seam dead list': placeNames.map((place) => run(() => [place], { before: () => leaveLetter(place) })),
  'seam dead show': placeNames.map((place) =>
    run(({ letterId = '' }) => [place, letterId], { before: (fixture) => leaveLetter(place, fixture) }),
  ),
  'seam dead redrive': placeNames
    .filter((place) => placeOf(place).redrivenTo)
    .map((place) => run(() => [place], { before: () => leaveLetter(place) })),
  // Beside a letter that stays.
  'seam dead drop': placeNames.map((place) =>
    run(({ letterId = '' }) => [place, letterId], {
      before: async (fixture) => {
        await leaveLetter(place);
        await leaveLetter(place, fixture);
      },
    }),
  ),
  'restore start': [run(() => ['--to', toTimestamp(startMs - ++restores * 1000)])],
  'restore status': [run(() => ['--to', toTimestamp(startMs - 60 * 60 * 1000)], { exit: 'drift' })],
  'restore copy': [run(toLast, { before: loseRows })],
  'restore reconcile': [
    run(toLast, { before: reviveAll }),
    run(toLast, { before: reviveAll, beforeWrite: loseSlot }),
    run(toLast, { before: reviveAll, ...isGrantedMeanwhile('gw-1') }),
    run(toLast, { before: ({ companyId }) => deleteRow('Appliances', reverseGrantKey(companyId, 'gw-1')) }),
  ],
  'trace resolve': [run(() => ['trace.txt'], { exit: 'not-found' })],
  // A company whose last key ran out is an error.
  doctor: [
    run(() => [], {
      exit: 'error',
      before: async ({ contract, newcomerId }) => {
        await putContract(world.store, { ...contract, companyId: newcomerId });
        await issueKey(world.store, newcomerId, longAgoMs);
      },
    }),
  ],
  smoke: [run(() => [], { exit: 'error' })],
};

let newcomers = 0;

/** A key of then has expired. */
const longAgoMs = startMs - 400 * 24 * 60 * 60 * 1000;

const prepare = async () => {
  const newcomerId = `roleless${newcomers++}`;
  const company = await onboard(world.store, { acceptedConsentVersion: 2 });
  const expired = await issueKey(world.store, company.companyId, longAgoMs);
  await grantGateway(world.store, company.companyId, 'gw-1', startMs - 2000);
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'gateways.csv'), 'gw-3\n');
  writeFileSync(join(directory, 'trace.txt'), 'Error: none\n    at ze (0123456789ab.mjs:1:1)\n');
  const { companyId: subject, contract } = company;
  const withdrawal = eventLike('portal.consent.withdrawn.v1', { subject, data: { userId: contract.userId } });
  writeFileSync(join(directory, 'withdrawal.json'), JSON.stringify(withdrawal));
  writeFileSync(join(directory, 'block.json'), JSON.stringify(eventLike('function.blocked.v1', { subject: 'gw-1' })));
  const gatewayIds = Array.from({ length: 50 }, (_, index) => `gw-${index}`);
  const local = loadStageConfig('local');
  const companies = [
    { ...company.contract, companyId: newcomerId, allowedCidrs: ['127.0.0.1/32'], gatewayIds },
    { ...company.contract, allowedCidrs: ['127.0.0.1/32', '127.0.0.2/32'], gatewayIds: ['gw-1'] },
  ];
  const anybody = ['arn:aws:iam::444455556666:root'];
  const neighbours = { portalPrincipals: anybody, gatewayBackendPrincipals: anybody };
  const config = { ...local, companies, neighbours } as unknown as StageConfig;
  const { webhookId } = await putWebhook(company.companyId, { verifiedAtMs: startMs });
  return { ...company, newcomerId, expired, webhookId, directory, config };
};

/** For the reader, who changes nothing, and for what is about messages only. */
let shared: ReturnType<typeof prepare> | undefined;
const prepareOnce = () => {
  shared ??= prepare();
  return shared;
};

const operateAs = async (role: Role, command: AnyCommand, { argv, before, beforeWrite }: Run, own: string[] = []) => {
  const isShared = (role === 'reader' && !before) || command.noun.startsWith('seam');
  const fixture: Fixture = { ...(await (isShared ? prepareOnce() : prepare())) };
  await before?.(fixture);
  const { directory, config, key } = fixture;
  const write = command.changes && own.length === 0 ? ['--yes', '--reason', 'to see'] : own;
  const result = await aws.operateAs(role, [...nameOf(command).split(' '), ...argv(fixture), ...write], {
    ...{ ...world, directory, config, stdin: `${key.apiKey}\n` },
    ...(beforeWrite && { beforeWrite: () => beforeWrite(fixture) }),
  });
  return { ...result, fixture };
};

/** Restores, and the other commands that go through all companies, come first, while there are few. */
const rankOf = ({ noun, requirements }: AnyCommand) =>
  noun === 'restore' ? 0 : requirements.tableActions.Contracts?.includes('Scan') ? 1 : 2;
const rows = commands
  .toSorted((one, other) => rankOf(one) - rankOf(other))
  .map((command) => [nameOf(command), command] as const);
const runsOf = (name: string): readonly Run[] => {
  const found = runs[name];
  if (!found) throw new Error(`Add command lines for ${name} to this test: all ways that ask AWS for something else.`);
  return found;
};

test('every command has its command lines here', () => {
  expect(rows.flatMap(([name]) => runsOf(name)).length).toBeGreaterThanOrEqual(rows.length);
});

describe.each(sampleOf(rows, 3))('%s', (name, command) => {
  test('works with its role, and asks AWS for all that its row says and for nothing else', campaign, async () => {
    const asked = new Set<string>();
    for (const each of runsOf(name)) {
      const result = await operateAs(roleOf(command) ?? 'reader', command, each);
      expect(result.stdout + result.stderr).not.toMatch(/AccessDenied|does not allow/);
      expect(result.exit, result.stderr).toBe(each.exit ?? 'ok');
      for (const what of result.asked) asked.add(what);
    }
    const { tableActions, queueActions, serviceActions } = permissionsOf(command);
    const ofTables = Object.entries(tableActions).flatMap(([target, actions]) =>
      actions.map((action) => `dynamodb:${action} on ${target}`),
    );
    const ofQueues = Object.entries(queueActions).flatMap(([queue, actions]) =>
      actions.map((action) => `sqs:${action.toLowerCase()} on ${queue}`),
    );
    expect([...asked].sort()).toEqual([...ofTables, ...ofQueues, ...serviceActions].sort());
  });
});

const changes = rows.filter(([, { changes }]) => changes);

describe.each(sampleOf(changes, 4))('%s, for the reader', (name, command) => {
  test('is refused with a sentence that names the role, and changes nothing', campaign, async () => {
    const [each] = runsOf(name) as [Run];
    const { exit, stderr, fixture } = await operateAs('reader', command, each);
    expect(exit).toBe('refused');
    expect(stderr).toMatch(
      new RegExp(
        `^AWS does not allow it \\(.*PartnerApi-local-reader/jane is not authorized to perform: dynamodb:\\w+.*\\)\\. ${name} takes the role PartnerApi-local-operator\\. `,
        'm',
      ),
    );
    expect(await findContract(world.store, fixture.companyId)).toEqual(fixture.contract);
    expect(await findContract(world.store, fixture.newcomerId)).toBeUndefined();
  });

  test('shows what it would change', campaign, async () => {
    const [each] = runsOf(name) as [Run];
    const { exit, stdout } = await operateAs('reader', command, each, ['--dry-run', '--yes']);
    expect([exit, stdout]).toEqual(['ok', expect.stringContaining('would-change')]);
  });
});

test('the reader may ask where addresses differ', async () => {
  const check = commands.find((command) => nameOf(command) === 'company sync') as AnyCommand;
  const { exit, stderr } = await operateAs('reader', check, run(ofCompany), ['--check']);
  expect([exit, stderr]).toEqual(['drift', '']);
});

describe.each(roles)('the role %s', (role) => {
  const client = () => {
    const credentials = { accessKeyId: aws.accessKeyIds[role], secretAccessKey: 'test' };
    const { endpoint } = aws.proxy;
    return DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint, region: 'eu-central-1', credentials }));
  };
  const tableName = (table: 'AuditLog' | 'Contracts') => world.store.tableName(table);
  const Key = { subject: 'acme', sk: 'row' };

  test.each([
    ['an update', () => new UpdateCommand({ TableName: tableName('AuditLog'), Key })],
    ['a deletion', () => new DeleteCommand({ TableName: tableName('AuditLog'), Key })],
    [
      'a batch',
      () => new BatchWriteCommand({ RequestItems: { [tableName('AuditLog')]: [{ PutRequest: { Item: Key } }] } }),
    ],
    [
      'a transaction with an update',
      () =>
        new TransactWriteCommand({
          TransactItems: [{ Update: { TableName: tableName('AuditLog'), Key, UpdateExpression: 'REMOVE reason' } }],
        }),
    ],
    [
      'a transaction with a deletion',
      () => new TransactWriteCommand({ TransactItems: [{ Delete: { TableName: tableName('AuditLog'), Key } }] }),
    ],
  ])('changes or deletes no row of the audit log: %s', async (_, command) => {
    await expect(client().send(command() as never)).rejects.toMatchObject({
      name: 'AccessDeniedException',
      message: expect.stringContaining('with an explicit deny'),
    });
  });

  test.each(['AuditLog', 'Contracts'] as const)('puts nothing into %s outside of a transaction', async (table) => {
    const put = new PutCommand({ TableName: tableName(table), Item: { companyId: 'acme', ...Key } });
    await expect(client().send(put)).rejects.toMatchObject({
      name: 'AccessDeniedException',
      message: expect.stringContaining('dynamodb:PutItem'),
    });
  });
});
