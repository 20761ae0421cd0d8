import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchWriteCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  PutCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findCompany } from '../../lambdas/data/contracts/companies.ts';
import { findContract } from '../../lambdas/data/contracts/contracts.ts';
import { type AnyCommand, nameOf } from '../../operator/cli/command.ts';
import { permissionsOf, type Role, roleOf, roles } from '../../operator/cli/roles.ts';
import { commands } from '../../operator/commands.ts';
import { campaign } from '../support/campaign.ts';
import { openRuns, prepareFor, type Run } from '../support/operator-fixture.ts';
import { openOperatorRoles } from '../support/operator-roles.ts';
import { companyArgument, rows, run, runsOf } from '../support/operator-runs.ts';
import { openWorld, partiesOf } from '../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
let aws: Awaited<ReturnType<typeof openOperatorRoles>>;
beforeAll(async () => {
  world = await openWorld();
  aws = await openOperatorRoles(world);
  await openRuns({ integrations: aws.integrations, operate: (...run) => aws.operateAs('operator', ...run) });
});
// An address that is already admitted is not added again.
beforeEach(() => aws.takeNewIpSets());
afterAll(() => aws.close());

const operateAs = async (role: Role, command: AnyCommand, each: Run, own: string[] = []) => {
  const fixture = await prepareFor(command, each, role === 'reader');
  const write = command.changes && own.length === 0 ? ['--yes', '--reason', 'to see'] : own;
  const { beforeWrite } = each;
  const result = await aws.operateAs(role, [...nameOf(command).split(' '), ...each.argv(fixture), ...write], {
    ...fixture.options,
    ...(beforeWrite && { beforeWrite: () => beforeWrite(fixture) }),
  });
  return { ...result, fixture };
};

describe.each(rows)('%s', (name, command) => {
  test('works with its role, and uses exactly the actions in its requirements', campaign, async () => {
    const asked = new Set<string>();
    for (const each of runsOf(name)) {
      const result = await operateAs(roleOf(command) ?? 'reader', command, each);
      expect(result.stdout + result.stderr).not.toMatch(/AccessDenied|does not allow/);
      expect(result.exit, result.stderr).toBe(each.exit ?? 'ok');
      for (const what of result.asked) asked.add(what);
    }
    const { tableActions, queueActions, serviceActions } = permissionsOf(command);
    const dataOfTables = Object.entries(tableActions).flatMap(([target, actions]) =>
      actions.map((action) => `dynamodb:${action} on ${target}`),
    );
    const ofQueues = Object.entries(queueActions).flatMap(([queue, actions]) =>
      actions.map((action) => `sqs:${action.toLowerCase()} on ${queue}`),
    );
    expect(
      [...asked].sort(),
      `The runs of ${name} use other actions than its requirements list. Add a run to test/support/operator-runs.ts that uses the missing ones, or correct the requirements of the command.`,
    ).toEqual([...dataOfTables, ...ofQueues, ...serviceActions].sort());
  });
});

const changes = rows.filter(([, { changes, role }]) => changes && role !== 'privacy');

describe.each(changes)('%s, for the reader', (name, command) => {
  test('is refused with the name of the required role, and changes nothing', campaign, async () => {
    const [each] = runsOf(name) as [Run];
    const { exit, stderr, fixture } = await operateAs('reader', command, each);
    expect(exit).toBe('refused');
    expect(stderr).toMatch(
      new RegExp(
        `^AWS denied access \\(.*PartnerApi-local-reader/jane is not authorized to perform: (dynamodb|wafv2):\\w+.*\\)\\. ${name} needs the role PartnerApi-local-operator\\. `,
        'm',
      ),
    );
    expect(await findContract(world.store, partiesOf(fixture.companyId))).toEqual(fixture.contract);
    expect(await findCompany(world.store, fixture.newcomerId)).toBeUndefined();
  });

  test('shows in a dry run what it would change', campaign, async () => {
    const [each] = runsOf(name) as [Run];
    const { exit, stdout } = await operateAs('reader', command, each, ['--dry-run', '--yes']);
    expect([exit, stdout]).toEqual(['ok', expect.stringContaining('would-change')]);
  });
});

test('the reader may compare addresses', async () => {
  const check = commands.find((command) => nameOf(command) === 'company sync') as AnyCommand;
  const { exit, stderr } = await operateAs('reader', check, run(companyArgument), ['--check']);
  expect([exit, stderr]).toEqual(['drift', '']);
});

describe.each(['reader', 'operator'] as const)('owner erase, for the %s', (role) => {
  test('is refused, even as a dry run, since pseudonyms re-identify the erased; names the required role', async () => {
    const erase = commands.find((command) => nameOf(command) === 'owner erase') as AnyCommand;
    const [each] = runsOf('owner erase') as [Run];
    for (const own of [['--yes', '--reason', 'to see'], ['--dry-run']]) {
      const { exit, stderr, fixture } = await operateAs(role, erase, each, own);
      expect(exit).toBe('refused');
      expect(stderr).toMatch(/kms:GenerateMac.*owner erase needs the role PartnerApi-local-privacy\. /);
      expect(await findContract(world.store, partiesOf(fixture.companyId))).toMatchObject({ state: 'active' });
    }
  });
});

test('the privacy role changes only the audit attributes that may mention an owner', async () => {
  const credentials = { accessKeyId: aws.accessKeyIds.privacy, secretAccessKey: 'test' };
  const client = DynamoDBDocumentClient.from(
    new DynamoDBClient({ endpoint: aws.proxy.endpoint, region: 'eu-central-1', credentials }),
  );
  const update = (attribute: string) =>
    client.send(
      new TransactWriteCommand({
        TransactItems: [
          {
            Update: {
              TableName: world.store.tableName('AuditLog'),
              Key: { subject: 'acme', sk: 'row' },
              UpdateExpression: 'SET #name = :value',
              ExpressionAttributeNames: { '#name': attribute },
              ExpressionAttributeValues: { ':value': 'x' },
            },
          },
        ],
      }),
    );
  for (const attribute of ['userId', 'before', 'after', 'reason']) await update(attribute);
  for (const attribute of ['operator', 'operation', 'at', 'gatewayId', 'actorKeyId'])
    await expect(update(attribute)).rejects.toMatchObject({ name: 'AccessDeniedException' });
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
    // The privacy role may update some attributes within a transaction.
    const isUpdate = role === 'privacy' && (command() as object) instanceof UpdateCommand;
    const isOfOther = role === 'privacy' && JSON.stringify(command().input).includes('REMOVE reason');
    const refused = expect(client().send(command() as never));
    if (isOfOther) return void (await refused.resolves.toBeDefined());
    await refused.rejects.toMatchObject({
      name: 'AccessDeniedException',
      message: expect.stringContaining(isUpdate ? 'not authorized' : 'with an explicit deny'),
    });
  });

  test.each(['AuditLog', 'Contracts'] as const)('writes nothing to %s outside of a transaction', async (table) => {
    const put = new PutCommand({ TableName: tableName(table), Item: { companyId: 'acme', ...Key } });
    await expect(client().send(put)).rejects.toMatchObject({
      name: 'AccessDeniedException',
      message: expect.stringContaining('dynamodb:PutItem'),
    });
  });
});
