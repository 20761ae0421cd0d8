import type { ResourceChange } from '@aws-sdk/client-cloudformation';
import { describe, expect, test } from 'vitest';
import type { Resource, Template } from '../../../infra/assembly.ts';
import type { Plan } from '../../../infra/deploy/plan.ts';
import { refusedChanges } from '../../../infra/deploy/refusals.ts';
import { retainedTables, tables } from '../../../lambdas/api/tables.ts';

const table: Resource = { Type: 'AWS::DynamoDB::GlobalTable', DeletionPolicy: 'Retain', Properties: {} };
const named: Resource = { Type: 'AWS::Lambda::Function', Properties: { FunctionName: 'get' } };
const unnamed: Resource = { Type: 'AWS::ApiGateway::Deployment', Properties: {} };
const template = { Resources: { Table: table, Named: named, Unnamed: unnamed } };

const change = (LogicalResourceId: string, rest: Partial<ResourceChange>): ResourceChange => ({
  Action: 'Modify',
  LogicalResourceId,
  PhysicalResourceId: LogicalResourceId === 'Named' ? 'get' : `x-${LogicalResourceId}`,
  Details: [{ Target: { Name: 'KeySchema', RequiresRecreation: 'Always' } }],
  ...rest,
});
const refusals = (changes: ResourceChange[], plan: Partial<Plan> = {}) =>
  refusedChanges({ changes, deployed: template, next: template, ...plan });

describe('the allowlist of AWS WAF', () => {
  const ipSet: Resource = { Type: 'AWS::WAFv2::IPSet', Properties: { Addresses: [] } };
  const api = (Condition?: object): Resource => ({
    Type: 'AWS::ApiGateway::RestApi',
    Properties: { Policy: { Statement: [{ Effect: 'Allow', ...(Condition && { Condition }) }] } },
  });
  const closed = { Resources: { Api: api({ IpAddress: {} }) } };
  const prepared = { Resources: { ...closed.Resources, One: ipSet, Two: ipSet } };
  const open = { Resources: { Api: api(), One: ipSet, Two: ipSet } };
  const ofSet = (Action: 'Add' | 'Modify' | 'Remove') => change('One', { Action, ResourceType: ipSet.Type });

  test('must be filled before the policy opens', () => {
    expect(refusals([], { deployed: closed, next: open })).toEqual([expect.stringContaining('"prepare-waf" first')]);
    expect(refusals([ofSet('Add')], { deployed: closed, next: prepared })).toEqual([]);
    expect(refusals([], { deployed: prepared, next: open })).toEqual([]);
  });

  test('may start empty in a first deployment, when no partner is onboarded', () => {
    expect(refusals([ofSet('Add')], { deployed: { Resources: {} }, next: open })).toEqual([]);
  });

  test('is never written by a deployment, and removed only when the policy has it again', () => {
    const refused = [expect.stringContaining('One contains the addresses that operators have registered')];
    expect(refusals([ofSet('Modify')], { deployed: open, next: open })).toEqual(refused);
    const { One: _, ...others } = open.Resources;
    expect(refusals([ofSet('Remove')], { deployed: open, next: { Resources: others } })).toEqual(refused);
    expect(refusals([ofSet('Remove')], { deployed: open, next: closed })).toEqual([]);
  });
});

describe('a change is refused', () => {
  test.each(['True', 'Conditional'] as const)(
    'that replaces, or may replace, a resource with data (%s)',
    (Replacement) => {
      expect(refusals([change('Table', { Replacement })])).toEqual([
        expect.stringMatching(/^Table \(x-Table\) would be replaced by an empty one because of KeySchema\./),
      ]);
    },
  );

  test('that removes a resource with data, even if the new template does not contain it', () => {
    const next = { Resources: {} };
    expect(refusals([change('Table', { Action: 'Remove' })], { next })).toEqual([
      expect.stringMatching(/^Table \(x-Table\) would be removed from the stack\./),
    ]);
  });

  test('that removes the protection and replaces the resource', () => {
    const next = { Resources: { Table: { ...table, DeletionPolicy: 'Delete' } } };
    expect(refusals([change('Table', { Replacement: 'True' })], { next })).toHaveLength(1);
  });

  test('that replaces a resource with a fixed name', () => {
    expect(refusals([change('Named', { Replacement: 'True' })])).toEqual([
      expect.stringMatching(/^Named has the fixed name get and would have to be replaced/),
    ]);
  });

  test('of two indexes of one table, but not of one', () => {
    const withIndexes = (...names: string[]) => ({
      Resources: {
        Table: { ...table, Properties: { GlobalSecondaryIndexes: names.map((IndexName) => ({ IndexName })) } },
      },
    });
    const changes = [change('Table', { Replacement: 'False' })];
    expect(refusals(changes, { deployed: withIndexes('a'), next: withIndexes('b', 'c') })).toEqual([
      expect.stringContaining('several indexes (a, b, c)'),
    ]);
    expect(refusals(changes, { deployed: withIndexes('a'), next: withIndexes('a', 'b') })).toEqual([]);
  });
});

test('every other change is allowed', () => {
  const changes = [
    change('Table', { Replacement: 'False' }),
    change('Unnamed', { Replacement: 'True' }),
    change('Named', { Action: 'Remove' }),
    change('New', { Action: 'Add' }),
  ];
  expect(refusals(changes)).toEqual([]);
});

describe('resources that are not retained but have content', () => {
  const queue: Resource = { Type: 'AWS::SQS::Queue', Properties: {} };
  const archive: Resource = { Type: 'AWS::Events::Archive', Properties: {} };
  const deployed: Template = {
    Resources: {
      Queue: queue,
      Bus: { Type: 'AWS::Events::EventBus', Properties: { Name: 'bus' } },
      Archive: archive,
      Events12AB34CD: { Type: 'AWS::DynamoDB::GlobalTable', DeletionPolicy: 'Delete', Properties: {} },
      Unknown12AB34CD: { Type: 'AWS::DynamoDB::GlobalTable', DeletionPolicy: 'Delete', Properties: {} },
      Api: { Type: 'AWS::ApiGateway::RestApi', Properties: {} },
    },
  };
  const plan = (changes: ResourceChange[]) => ({ changes, deployed, next: deployed });

  test.each([
    ['Queue', 'its messages, and the URL'],
    ['Bus', 'its archive'],
    ['Archive', 'the events that it has archived'],
    ['Events12AB34CD', 'the feeds of all partners'],
    ['Unknown12AB34CD', 'all its rows'],
    ['Api', 'the address of its default endpoint'],
  ])('%s is neither removed nor replaced unless it is given up: %s', (id, lost) => {
    for (const of of [{ Action: 'Remove' as const }, { Replacement: 'True' as const }]) {
      const changes = [change(id, of)];
      const [refusal, ...others] = refusedChanges(plan(changes));
      expect(refusal).toMatch(new RegExp(`^${id} \\(x-${id}\\) would be .*${lost}`));
      expect(refusal).toMatch(new RegExp(`(Put it back|Undo that change).* or, if .* --give-up ${id}\\.$`));
      expect(others).toEqual([]);
      expect(refusedChanges(plan(changes), [id])).toEqual([]);
      expect(refusedChanges(plan(changes), ['Other'])).toHaveLength(1);
    }
    expect(refusedChanges(plan([change(id, { Replacement: 'False' })]))).toEqual([]);
  });

  test('a retained resource cannot be given up', () => {
    expect(
      refusedChanges({ changes: [change('Table', { Action: 'Remove' })], deployed: template, next: template }, [
        'Table',
      ]),
    ).toHaveLength(1);
  });

  test('each table that is not retained has its own text', () => {
    const ofService = Object.keys(tables).filter((name) => !(retainedTables as string[]).includes(name));
    const disposable = [...ofService, 'SimulatedHomes'];
    const lost = disposable.map((name) => {
      const id = `${name}12AB34CD`;
      const resource = { Type: 'AWS::DynamoDB::GlobalTable', DeletionPolicy: 'Delete', Properties: {} };
      const [refusal] = refusals([change(id, { Action: 'Remove' })], { deployed: { Resources: { [id]: resource } } });
      return /together with (.*)\. Put it back/.exec(refusal ?? '')?.[1];
    });
    expect(lost).not.toContain(undefined);
    expect(lost).not.toContain('all its rows');
    expect(new Set(lost).size).toBe(disposable.length);
  });

  const dynamic = (CausingEntity: string) => ({
    Target: { Name: 'SourceArn', RequiresRecreation: 'Always' as const },
    Evaluation: 'Dynamic' as const,
    ChangeSource: 'ResourceAttribute' as const,
    CausingEntity,
  });
  const ofArchive = (entity: string) => change('Archive', { Replacement: 'Conditional', Details: [dynamic(entity)] });

  test.each([
    ['its ARN, where another property changes', ofArchive('Bus.Arn'), change('Bus', { Replacement: 'False' }), 0],
    ['its ARN, where it may be replaced', ofArchive('Other.Arn'), change('Other', { Replacement: 'Conditional' }), 1],
    ['its ARN, where it is new', ofArchive('Other.Arn'), change('Other', { Action: 'Add' }), 1],
    ['another attribute', ofArchive('Other.Version'), change('Other', { Replacement: 'False' }), 1],
  ])('a resource that refers to another by %s', (_, ofNaming, ofNamed, refusals) => {
    expect(refusedChanges(plan([ofNaming, ofNamed]))).toHaveLength(refusals);
  });

  const never = { Target: { Name: 'Tags', RequiresRecreation: 'Never' as const } };
  const harmless = { 'one without effect': never, 'the ARN of a kept resource': dynamic('Bus.Arn') };
  const harmful = {
    'one that replaces': { Target: { Name: 'KeySchema', RequiresRecreation: 'Always' as const } },
    'one that may replace': { Target: { Name: 'KeySchema', RequiresRecreation: 'Conditionally' as const } },
    'the ARN of a replaced resource': dynamic('Queue.Arn'),
  };
  const details = { ...harmless, ...harmful };
  const kept = [change('Bus', { Replacement: 'False' }), change('Queue', { Replacement: 'True' })];

  test.each(Object.keys(details).flatMap((one) => Object.keys(details).map((other) => [one, other] as const)))(
    'a possible replacement with two details, %s and %s, is refused if either can cause it',
    (...names) => {
      const Details = names.map((name) => details[name as keyof typeof details]);
      for (const id of ['Archive', 'Unknown12AB34CD']) {
        const refused = refusedChanges(plan([change(id, { Replacement: 'Conditional', Details }), ...kept]), ['Queue']);
        expect(refused).toHaveLength(names.some((name) => name in harmful) ? 1 : 0);
      }
    },
  );
});

describe('a name that is in use until the old resource is deleted', () => {
  const table: readonly (readonly [string, Record<string, unknown>])[] = [
    ['AWS::Lambda::Function', { FunctionName: 'get' }],
    ['AWS::Events::Rule', { Name: 'rule' }],
    ['AWS::IAM::Role', { RoleName: 'reader' }],
    ['AWS::CloudWatch::Alarm', { AlarmName: 'alarm' }],
    ['AWS::CodeDeploy::DeploymentGroup', { ApplicationName: { Ref: 'App' }, DeploymentGroupName: 'get' }],
    ['AWS::ApiGateway::GatewayResponse', { RestApiId: { Ref: 'Api' }, ResponseType: 'THROTTLED' }],
    ['AWS::ApiGateway::Resource', { RestApiId: { Ref: 'Api' }, ParentId: 'root', PathPart: 'contracts' }],
    ['AWS::ApiGateway::Method', { RestApiId: { Ref: 'Api' }, ResourceId: 'root', HttpMethod: 'GET' }],
  ];
  const moved = (Type: string, before: object, after: object, id = 'New') => {
    const resource = (Properties: object): Resource => ({ Type, Properties: { ...Properties } });
    return refusedChanges({
      changes: [change(id, { Action: 'Add' }), change('Old', { Action: 'Remove' })],
      deployed: { Resources: { Old: resource(before) } },
      next: { Resources: { [id]: resource(after) } },
    });
  };

  test.each(table)('refuses %s under another logical id, or in another stack', (type, identity) => {
    expect(moved(type, identity, identity)).toEqual([
      expect.stringMatching(new RegExp(`^${type} .* would move from Old to New\\. .* Give the construct its old name`)),
    ]);
    expect(moved(type, identity, identity, 'Old')).toEqual([expect.stringContaining('from one stack to another')]);
  });

  test.each(table)('makes %s anew with another name', (type, identity) => {
    const [last = ''] = Object.keys(identity).slice(-1);
    expect(moved(type, identity, { ...identity, [last]: 'other' })).toEqual([]);
  });

  test('allows resources with generated names, or of another type', () => {
    expect(moved('AWS::Events::Rule', {}, {})).toEqual([]);
    const [rule, alarm] = [
      { Type: 'AWS::Events::Rule', Properties: { Name: 'same' } },
      { Type: 'AWS::Logs::QueryDefinition', Properties: { Name: 'same' } },
    ];
    const changes = [change('New', { Action: 'Add' }), change('Old', { Action: 'Remove' })];
    expect(
      refusedChanges({ changes, deployed: { Resources: { Old: rule } }, next: { Resources: { New: alarm } } }),
    ).toEqual([]);
  });
});

test('removing a nested stack is refused, since its change set does not list its resources', () => {
  const nested = { ResourceType: 'AWS::CloudFormation::Stack' };
  expect(refusals([change('Methods', { Action: 'Remove', ...nested })])).toEqual([
    expect.stringMatching(/^Methods is a nested stack.*Put the nested stack back under this logical id\.$/),
  ]);
  expect(refusals([change('Methods', { Action: 'Add', ...nested })])).toEqual([]);
});
