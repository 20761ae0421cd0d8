import type { Resource as SynthesizedResource, Template } from '../synthesized.ts';

type Resource = { -readonly [Name in keyof SynthesizedResource]: SynthesizedResource[Name] };

/** A copy of a template, to which a defect is added. */
type BrokenTemplate = { readonly Resources: Record<string, Resource> };

export const copyOf = (template: Template): BrokenTemplate => structuredClone(template) as BrokenTemplate;

type Broken = { readonly logicalId: string; readonly resource: Resource; readonly properties: Resource['Properties'] };

/** Finds the first resource of a type with such properties, to break it. Throws if no resource matches. */
export const first = (
  { Resources }: BrokenTemplate,
  type: string,
  has: (properties: Resource['Properties']) => unknown = () => true,
): Broken => {
  const [logicalId, resource] =
    Object.entries(Resources).find(([, { Type, Properties }]) => Type === type && has(Properties)) ?? [];
  if (!logicalId || !resource) throw new Error(`There is no ${type} to break.`);
  return { logicalId, resource, properties: resource.Properties };
};

/** A realistic defect. `break` adds it to a template and returns the logical id of the broken resource. */
export type Defect = {
  readonly name: string;
  readonly break: (template: BrokenTemplate) => string;
  /** A part of the message about the defect. */
  readonly said: string;
};

const table = 'AWS::DynamoDB::GlobalTable';

const alarm = 'AWS::CloudWatch::Alarm';

const role = 'AWS::IAM::Role';

/** Replaces all widgets of the first dashboard with one. */
const showOnly = (template: BrokenTemplate, widget: object): string => {
  const { logicalId, properties } = first(template, 'AWS::CloudWatch::Dashboard');
  properties.DashboardBody = JSON.stringify({ widgets: [widget] });
  return logicalId;
};

const chartOf = (metrics: unknown) => ({
  type: 'metric',
  properties: { title: 'Chart', region: 'eu-central-1', metrics },
});

/** Returns the ARNs of this many roles, each of this length. */
const principals = (count: number, length = 60) =>
  Array.from({ length: count }, (_, index) => `arn:aws:iam::111122223333:role/${index}-`.padEnd(length, 'x'));

/** The defects that each of our own checks finds. */
export const ownDefects: Readonly<Record<string, readonly Defect[]>> = {
  'deployment-order': [
    {
      name: 'a deployment that does not wait for a method',
      break: (template) => {
        const { logicalId, resource } = first(template, 'AWS::ApiGateway::Deployment');
        const method = first(template, 'AWS::ApiGateway::Method').logicalId;
        resource.DependsOn = resource.DependsOn?.filter((id) => id !== method) ?? [];
        return logicalId;
      },
      said: 'may be created before apikeys',
    },
    {
      name: 'a deployment that waits for nothing',
      break: (template) => {
        const { logicalId, resource } = first(template, 'AWS::ApiGateway::Deployment');
        delete resource.DependsOn;
        return logicalId;
      },
      said: 'add these to DependsOn.',
    },
  ],
  'fixed-names': [
    {
      name: 'a table with a fixed name, whose key can never change',
      break: (template) => {
        const { logicalId, properties } = first(template, 'AWS::DynamoDB::GlobalTable');
        properties.TableName = 'ApiKeys';
        return logicalId;
      },
      said: 'has the fixed TableName ApiKeys, so it cannot be replaced, which a change of KeySchema or',
    },
    {
      name: 'an archive with a fixed name, whose bus can never change',
      break: (template) => {
        const { logicalId, properties } = first(template, 'AWS::Events::Archive');
        properties.ArchiveName = { 'Fn::Sub': `\${AWS::StackName}-key-notices` };
        return logicalId;
      },
      said: 'has the fixed ArchiveName AWS::StackName-key-notices, so it cannot be replaced, which a change of SourceArn requires; leave',
    },
  ],
  'table-keys': [
    {
      name: 'a table without a key',
      break: (template) => {
        const { logicalId, properties } = first(template, table);
        delete properties.KeySchema;
        return logicalId;
      },
      said: 'The table has no valid KeySchema; write one HASH attribute, followed by at most one RANGE attribute.',
    },
    {
      name: 'a table whose key begins with the sort key',
      break: (template) => {
        const { logicalId, properties } = first(template, table, ({ KeySchema }) => KeySchema.length === 2);
        properties.KeySchema.reverse();
        return logicalId;
      },
      said: 'The table has no valid KeySchema; write one HASH attribute',
    },
    {
      name: 'a key that names no attribute',
      break: (template) => {
        const { logicalId, properties } = first(template, table);
        properties.KeySchema[0].AttributeName = 'company';
        return logicalId;
      },
      said: 'The key attribute company is not in AttributeDefinitions; correct the name or define it.',
    },
    {
      name: 'an index key that names no attribute',
      break: (template) => {
        const { logicalId, properties } = first(template, table, (each) => each.GlobalSecondaryIndexes);
        properties.GlobalSecondaryIndexes[0].KeySchema[1].AttributeName = 'company';
        return logicalId;
      },
      said: 'The key attribute company is not in AttributeDefinitions',
    },
    {
      name: 'an attribute that is in no key',
      break: (template) => {
        const { logicalId, properties } = first(template, table);
        properties.AttributeDefinitions.push({ AttributeName: 'name', AttributeType: 'S' });
        return logicalId;
      },
      said: 'The attribute name is defined but used in no key, which DynamoDB refuses; remove it from AttributeDefinitions.',
    },
    {
      name: 'a replica with an index that the table does not have',
      break: (template) => {
        const { logicalId, properties } = first(template, table, (each) => each.GlobalSecondaryIndexes);
        properties.Replicas[0].GlobalSecondaryIndexes[0].IndexName = 'byMonth';
        return logicalId;
      },
      said: 'A replica names the index byMonth, which the table does not have; correct the name.',
    },
  ],
  'policy-sizes': [
    {
      name: 'a role whose inline policy is too long',
      break: (template) => {
        const { logicalId, properties } = first(template, role, ({ Policies }) => Policies);
        const { PolicyDocument } = properties.Policies[0];
        PolicyDocument.Statement = Array(100).fill(PolicyDocument.Statement[0]);
        return logicalId;
      },
      said: 'characters, and the quota of IAM is 10240; gather resources that have the same actions in one statement',
    },
    {
      name: 'a role whose inline policies, one of them a separate resource, are too long together',
      break: (template) => {
        const { logicalId, properties } = first(template, role, ({ Policies }) => Policies);
        const Statement = Array(40).fill(properties.Policies[0].PolicyDocument.Statement[0]);
        properties.Policies = [{ PolicyDocument: { Statement } }];
        template.Resources.Beside = {
          Type: 'AWS::IAM::Policy',
          Properties: { PolicyDocument: { Statement }, Roles: [{ Ref: logicalId }] },
        };
        return logicalId;
      },
      said: 'characters, and the quota of IAM is 10240;',
    },
    {
      name: 'a managed policy that is too long',
      break: (template) => {
        const { logicalId, properties } = first(template, 'AWS::IAM::ManagedPolicy');
        const { PolicyDocument } = properties;
        PolicyDocument.Statement = Array(60).fill(PolicyDocument.Statement[0]);
        return logicalId;
      },
      said: 'characters, and the quota of IAM for a managed policy is 6144; gather resources',
    },
    {
      name: 'a role with more managed policies than IAM attaches',
      break: (template) => {
        const { logicalId, properties } = first(template, role, ({ ManagedPolicyArns }) => ManagedPolicyArns);
        properties.ManagedPolicyArns = Array(11).fill(properties.ManagedPolicyArns[0]);
        return logicalId;
      },
      said: 'has 11 managed policies, and the quota of IAM is 10 for a role;',
    },
    {
      name: 'a role that more principals may assume than its trust policy holds',
      break: (template) => {
        const { logicalId, properties } = first(template, role, ({ RoleName }) => RoleName);
        const [statement] = properties.AssumeRolePolicyDocument.Statement;
        statement.Condition.ArnLike['aws:PrincipalArn'] = principals(40);
        return logicalId;
      },
      said: 'characters, and the quota of IAM is 2048; list fewer principals under operators in the configuration',
    },
    {
      name: 'a queue that more principals may use than its policy holds',
      break: (template) => {
        const { logicalId, properties } = first(template, 'AWS::SQS::QueuePolicy');
        properties.PolicyDocument.Statement.push({ Principal: { AWS: principals(50) } });
        return logicalId;
      },
      said: 'has 51 principals, and the quota of SQS is 50; list fewer principals under neighbours.gatewayBackendPrincipals',
    },
    {
      name: 'a queue whose policy is too long',
      break: (template) => {
        const { logicalId, properties } = first(template, 'AWS::SQS::QueuePolicy');
        properties.PolicyDocument.Statement.push({ Principal: { AWS: principals(40, 200) } });
        return logicalId;
      },
      said: 'characters, and the quota of SQS is 8192; list fewer principals under neighbours.gatewayBackendPrincipals',
    },
    {
      name: 'a bus that more principals may use than its policy holds',
      break: (template) => {
        const { logicalId, properties } = first(template, 'AWS::Events::EventBusPolicy');
        properties.Statement.Principal = { AWS: principals(200) };
        return logicalId;
      },
      said: 'characters long, and the quota of EventBridge is 10240; list fewer principals under neighbours.portalPrincipals',
    },
    {
      name: 'a policy that refers to something of unknown length',
      break: (template) => {
        const { properties } = first(template, role, ({ Policies }) => Policies);
        const topic = first(template, 'AWS::SNS::Topic').logicalId;
        properties.Policies[0].PolicyDocument.Statement[0].Resource = { Ref: topic };
        return 'The template';
      },
      said: 'A policy of the template refers to AWS::SNS::Topic, whose length is unknown; add the length to infra/checks/reference-lengths.ts.',
    },
  ],
  'alarm-windows': [
    {
      name: 'an alarm that looks back more than a day by periods of minutes',
      break: (template) => {
        const { logicalId, properties } = first(template, alarm, ({ Period }) => Period === 60);
        properties.EvaluationPeriods = 1441;
        return logicalId;
      },
      said: 'looks back 86460 s, and CloudWatch allows 86400 s; lower EvaluationPeriods or the period.',
    },
    {
      name: 'an alarm that looks back more than seven days by periods of hours',
      break: (template) => {
        const isHourly = (properties: { Metrics?: { MetricStat?: { Period: number } }[] }) =>
          properties.Metrics?.some(({ MetricStat }) => MetricStat?.Period === 3600);
        const { logicalId, properties } = first(template, alarm, isHourly);
        properties.EvaluationPeriods = 169;
        return logicalId;
      },
      said: 'looks back 608400 s, and CloudWatch allows 604800 s; lower EvaluationPeriods or the period.',
    },
    {
      name: 'an alarm that needs more datapoints than it evaluates',
      break: (template) => {
        const { logicalId, properties } = first(template, alarm);
        properties.DatapointsToAlarm = properties.EvaluationPeriods + 1;
        return logicalId;
      },
      said: 'needs 2 datapoints of 1; lower DatapointsToAlarm or raise EvaluationPeriods.',
    },
    {
      name: 'a period that CloudWatch does not support',
      break: (template) => {
        const { logicalId, properties } = first(template, alarm, ({ Period }) => Period);
        properties.Period = 90;
        return logicalId;
      },
      said: 'has a period of 90 s; write 10, 20, 30 or a multiple of 60.',
    },
  ],
  'alarm-metrics': [
    {
      name: 'an alarm that uses an undefined metric',
      break: (template) => {
        const { logicalId, properties } = first(template, alarm, ({ Metrics }) => Metrics);
        properties.Metrics[0].Expression = 'SUM([failures, refusals])';
        return logicalId;
      },
      said: 'uses "refusals", which is not the id of another metric; correct the expression.',
    },
    {
      name: 'an alarm that watches two values',
      break: (template) => {
        const { logicalId, properties } = first(template, alarm, ({ Metrics }) => Metrics?.length > 1);
        delete properties.Metrics[1].ReturnData;
        return logicalId;
      },
      said: 'watches 2 of its metrics; set ReturnData to true for exactly one.',
    },
    {
      name: 'an alarm with two metrics with the same id',
      break: (template) => {
        const { logicalId, properties } = first(template, alarm, ({ Metrics }) => Metrics?.length > 2);
        properties.Metrics[2].Id = properties.Metrics[1].Id;
        return logicalId;
      },
      said: 'has two metrics with the id "forwarded"; give each its own.',
    },
    {
      name: 'an alarm on a statistic that does not exist',
      break: (template) => {
        const { logicalId, properties } = first(template, alarm, ({ Metrics }) => Metrics?.length > 1);
        properties.Metrics[1].MetricStat.Stat = 'SampelCount';
        return logicalId;
      },
      said: 'has the unknown statistic "SampelCount"; write for example Sum, Average, SampleCount or p99.',
    },
  ],
  'alarm-rules': [
    {
      name: 'a composite alarm with an unknown word',
      break: (template) => {
        const { logicalId, properties } = first(template, 'AWS::CloudWatch::CompositeAlarm');
        const [, parts] = properties.AlarmRule['Fn::Join'];
        properties.AlarmRule['Fn::Join'][1] = parts.map((part: unknown) =>
          typeof part === 'string' ? part.replace(' OR ', ' ELSE ') : part,
        );
        return logicalId;
      },
      said: 'has an AlarmRule with a syntax error; write ALARM("…") with AND, OR, NOT and parentheses.',
    },
    {
      name: 'a composite alarm on an undefined alarm',
      break: (template) => {
        const { logicalId, properties } = first(template, 'AWS::CloudWatch::CompositeAlarm');
        properties.AlarmRule = 'ALARM("PartnerApi-test-latency") OR NOT (OK("PartnerApi-test-latancy"))';
        return logicalId;
      },
      said: 'refers to the alarm PartnerApi-test-latancy, which is not in the template; correct the reference.',
    },
  ],
  dashboards: [
    {
      name: 'a widget beyond the right edge',
      break: (template) => showOnly(template, { ...chartOf([['AWS/Lambda', 'Errors']]), x: 16, width: 12 }),
      said: 'has a widget 1 ("Chart") that ends at column 28 of 24; make it narrower or move it.',
    },
    {
      name: 'a chart that uses an undefined metric',
      break: (template) => showOnly(template, chartOf([[{ expression: '100 * errors' }], ['AWS/Lambda', 'Errors']])),
      said: 'that uses "errors", which is not the id of another metric; correct the expression.',
    },
    {
      name: 'a chart of a statistic that does not exist',
      break: (template) => showOnly(template, chartOf([['AWS/Lambda', 'Errors', { stat: 'sum' }]])),
      said: 'that has the unknown statistic "sum"; write for example',
    },
    {
      name: 'a chart of more metrics than it can show',
      break: (template) => showOnly(template, chartOf(Array(501).fill(['AWS/Lambda', 'Errors']))),
      said: 'shows too many metrics; CloudWatch shows 500; split the dashboard.',
    },
  ],
};
