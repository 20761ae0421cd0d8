import { beforeAll, describe, expect, test } from 'vitest';
import { loadStageConfig } from '../../config/load.ts';
import type { StageConfig } from '../../config/schema.ts';
import {
  isWrite,
  permissionsBeyond,
  permissionsOfRole,
  type Role,
  restoredTables,
  roles,
} from '../../operator/cli/roles.ts';
import { commands } from '../../operator/commands.ts';
import { logicalNames, type StageQueue } from '../../operator/integrations/integrations.ts';
import {
  bareConfig,
  logicalIdOf,
  type Resource,
  resourcesOf,
  stackName,
  synthesize,
  type Template,
  templateOf,
  templateOfStage,
} from './synthesized.ts';

const config = loadStageConfig('example');
let template: Template;
beforeAll(async () => {
  template = await templateOfStage('example');
});

const findRoles = (from: Template) =>
  resourcesOf(from, 'AWS::IAM::Role').filter(([, { Properties }]) => Properties.RoleName !== undefined);

const roleNamed = (role: Role, from = template): Resource['Properties'] => {
  const found = findRoles(from).filter(([, { Properties }]) => Properties.RoleName === `${stackName}-${role}`);
  expect(found).toHaveLength(1);
  return found[0]?.[1].Properties as Resource['Properties'];
};

/** Returns the statements of the role and of its managed policies. */
const statementsOf = (role: Role) => {
  const { Policies, ManagedPolicyArns = [] } = roleNamed(role);
  const attached = ManagedPolicyArns.map(({ Ref }: { Ref: string }) => template.Resources[Ref]?.Properties);
  return [...Policies, ...attached].flatMap(
    ({ PolicyDocument }: { PolicyDocument: { Statement: Statement[] } }) => PolicyDocument.Statement,
  );
};

type Statement = {
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
};

/** Returns every allowed pair of action and resource, with the condition of its statement. */
const allowed = (role: Role) =>
  statementsOf(role)
    .filter(({ Effect }) => Effect === 'Allow')
    .flatMap(({ Action, Resource, Condition }) =>
      [Action]
        .flat()
        .flatMap((action) =>
          [Resource]
            .flat()
            .map(
              (resource) => `${action} on ${textOf(resource)}${Condition ? ` if ${JSON.stringify(Condition)}` : ''}`,
            ),
        ),
    )
    .sort();

// biome-ignore lint/suspicious/noExplicitAny: an ARN is text or one of several intrinsics.
const textOf = (arn: any): string => {
  if (typeof arn === 'string') return arn;
  if (arn.Ref) return `{${arn.Ref}}`;
  if (arn['Fn::GetAtt']) return arn['Fn::GetAtt'][0];
  const [delimiter, parts] = arn['Fn::Join'];
  return parts.map(textOf).join(delimiter);
};

const withinTransaction = ' if {"ForAnyValue:StringEquals":{"dynamodb:EnclosingOperation":["TransactWriteItems"]}}';

/** An erasure names the key of an audit row and the attributes that may contain an owner. */
const ofErasure =
  ' if {"ForAnyValue:StringEquals":{"dynamodb:EnclosingOperation":["TransactWriteItems"]},' +
  '"ForAllValues:StringEquals":{"dynamodb:Attributes":["subject","sk","userId","before","after","reason"]}}';

const restoredArn = 'arn:{AWS::Partition}:dynamodb:{AWS::Region}:{AWS::AccountId}:table/{AWS::StackName}-restored-*';

describe.each(roles)('the role %s', (role) => {
  test('may do exactly what the commands need, and write only in transactions', () => {
    const { tableActions, queueActions } = permissionsOfRole(role, commands);
    const [apiId] = resourcesOf(template, 'AWS::ApiGateway::RestApi')[0] ?? [];
    const dataOfTables = Object.entries(tableActions).flatMap(([target, actions]) => {
      const [table = '', ...index] = target.split('/');
      const resource = target === restoredTables ? restoredArn : [logicalIdOf(template, table), ...index].join('/');
      return actions.map((action) => {
        const condition = isWrite(action, target) ? withinTransaction : '';
        return `dynamodb:${action} on ${resource}${target === 'AuditLog' && action === 'UpdateItem' ? ofErasure : condition}`;
      });
    });
    // The stage is no sandbox.
    const { sandboxControls: _, ...actionsOfStage } = queueActions;
    const ofQueues = Object.entries(actionsOfStage).flatMap(([queue, actions]) =>
      actions.map(
        (action) => `sqs:${action} on ${logicalIdOf(template, logicalNames[queue as StageQueue], 'AWS::SQS::Queue')}`,
      ),
    );
    const bus = logicalIdOf(template, 'IntegrationsPortalBus', 'AWS::Events::EventBus');
    expect(allowed(role)).toEqual(
      [
        ...dataOfTables,
        ...ofQueues,
        'cloudformation:ListStackResources on arn:{AWS::Partition}:cloudformation:{AWS::Region}:{AWS::AccountId}:stack/{AWS::StackName}/*',
        ...(role === 'privacy'
          ? [`kms:GenerateMac on ${logicalIdOf(template, 'OwnerPseudonyms', 'AWS::KMS::Key')}`]
          : [
              'cloudwatch:GetMetricData on *',
              `events:DescribeEventBus on ${bus}`,
              ...(role === 'operator' ? [`events:PutEvents on ${bus}`] : []),
              ...resourcesOf(template, 'AWS::Lambda::EventSourceMapping').map(
                ([id]) =>
                  `lambda:GetEventSourceMapping on arn:{AWS::Partition}:lambda:{AWS::Region}:{AWS::AccountId}:event-source-mapping:{${id}}`,
              ),
              `apigateway:GET on arn:{AWS::Partition}:apigateway:{AWS::Region}::/restapis/{${apiId}}`,
              'cloudformation:DescribeStacks on arn:{AWS::Partition}:cloudformation:{AWS::Region}:{AWS::AccountId}:stack/{AWS::StackName}/*',
              'lambda:GetAccountSettings on *',
              'logs:GetQueryResults on *',
              ...['RequestLog', 'AccessLog', 'ConsumerLog'].map(
                (log) => `logs:StartQuery on ${logicalIdOf(template, log, 'AWS::Logs::LogGroup')}`,
              ),
            ]),
      ].sort(),
    );
    const mayDo = (change: string) => JSON.stringify(allowed(role)).includes(change);
    for (const change of ['RestoreTableToPointInTime', 'BatchWriteItem', 'SendMessage', 'DeleteMessage', 'PutEvents'])
      expect(mayDo(change)).toBe(role === 'operator');
    expect(mayDo('PutItem')).toBe(role !== 'reader');
    // No other role changes audit rows, or can find out whom they are about.
    expect(mayDo(ofErasure.replaceAll('"', '\\"'))).toBe(role === 'privacy');
    expect(mayDo('GenerateMac')).toBe(role === 'privacy');
  });

  test('is denied to delete audit rows, and to change one except for an erasure, whatever is attached', () => {
    const denied = statementsOf(role).filter(({ Effect }) => Effect === 'Deny');
    expect(denied).toEqual([
      {
        Effect: 'Deny',
        Action: expect.arrayContaining(
          [
            ...['BatchWriteItem', 'DeleteItem', 'PartiQLDelete', 'PartiQLUpdate'],
            ...(role === 'privacy' ? [] : ['UpdateItem']),
          ].map((each) => `dynamodb:${each}`),
        ),
        Resource: { 'Fn::GetAtt': [logicalIdOf(template, 'AuditLog'), 'Arn'] },
      },
    ]);
  });

  test('can be assumed by the configured principals, and its ARN is an output', () => {
    expect(roleNamed(role).AssumeRolePolicyDocument.Statement).toEqual([
      {
        Effect: 'Allow',
        Action: 'sts:AssumeRole',
        Principal: { AWS: 'arn:aws:iam::111122223333:root' },
        Condition: { ArnLike: { 'aws:PrincipalArn': config.operators?.[`${role}Principals`] } },
      },
    ]);
    const [[id] = []] = findRoles(template).filter(([, { Properties }]) => Properties.RoleName.endsWith(`-${role}`));
    const outputs = { reader: 'ReaderRole', operator: 'OperatorRole', privacy: 'PrivacyRole' };
    expect(template.Outputs[outputs[role]]?.Value).toEqual({ 'Fn::GetAtt': [id, 'Arn'] });
  });
});

test('the operator has the reader’s managed policies, so that its own policy contains only changes', () => {
  const policies = resourcesOf(template, 'AWS::IAM::ManagedPolicy').map(([id]) => ({ Ref: id }));
  const attached = roles.map((role) => roleNamed(role).ManagedPolicyArns);
  expect(attached).toEqual([policies, policies, undefined]);
  const { Policies } = roleNamed('reader');
  expect(Policies[0].PolicyDocument.Statement.map(({ Effect }: Statement) => Effect)).toEqual(['Deny']);
  const reads = new Set(allowed('reader'));
  expect(allowed('operator').filter((each) => reads.has(each))).toEqual([...reads].sort());
});

test('another command changes only the policy of its kind', () => {
  const reads = permissionsOfRole('reader', commands);
  const all = permissionsOfRole('operator', commands);
  const change = { changes: true, requirements: { tableActions: { Usage: ['Query', 'PutItem'] } } } as const;
  const more = [...commands, change];
  const beyond = permissionsBeyond(permissionsOfRole('operator', more), permissionsOfRole('reader', more));
  const before = permissionsBeyond(all, reads);
  expect(beyond).toEqual({ ...before, tableActions: { ...before.tableActions, Usage: ['PutItem'] } });
  expect(permissionsOfRole('reader', more).tableActions).toEqual({
    ...reads.tableActions,
    Usage: [...(reads.tableActions.Usage ?? []), 'Query'],
  });
});

test('a user needs MFA and a session with their own name; roles of other accounts can be trusted', async () => {
  const user = 'arn:aws:iam::111122223333:user/jane';
  const role = 'arn:aws:iam::444455556666:role/on-call';
  const withBoth: StageConfig = {
    ...config,
    operators: { readerPrincipals: [role], operatorPrincipals: [user, role] },
  };
  const { AssumeRolePolicyDocument } = roleNamed('operator', await synthesize(withBoth));
  const trust = (account: string, Condition: object) => ({
    Effect: 'Allow',
    Action: 'sts:AssumeRole',
    Condition,
    Principal: { AWS: `arn:aws:iam::${account}:root` },
  });
  expect(AssumeRolePolicyDocument.Statement).toEqual([
    trust('111122223333', {
      ArnLike: { 'aws:PrincipalArn': [user] },
      Bool: { 'aws:MultiFactorAuthPresent': 'true' },
      StringEquals: { 'sts:RoleSessionName': `\${aws:username}` },
    }),
    trust('444455556666', { ArnLike: { 'aws:PrincipalArn': [role] } }),
  ]);
});

test('without principals there is no privacy role', async () => {
  const { privacyPrincipals, ...operators } = config.operators as NonNullable<StageConfig['operators']>;
  const others = await synthesize({ ...config, operators });
  expect(findRoles(others)).toHaveLength(2);
  expect(Object.keys(others.Outputs)).not.toContain('PrivacyRole');
  expect(privacyPrincipals).toBeDefined();
});

test('without principals there are no operators’ roles', async () => {
  const bare = await templateOf(bareConfig);
  expect(findRoles(bare)).toEqual([]);
  expect(Object.keys(bare.Outputs)).not.toContain('OperatorRole');
});
