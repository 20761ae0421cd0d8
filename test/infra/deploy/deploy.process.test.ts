import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ResourceChange } from '@aws-sdk/client-cloudformation';
import { describe, expect, test } from 'vitest';
import type { Template } from '../../../infra/assembly.ts';
import { deployStage, planStage } from '../../../infra/deploy/deploy.ts';
import { keepDataResources } from '../../../infra/deploy/roll-back.ts';
import { jobsOfDeployment } from '../../../lambdas/api/background-functions.ts';
import { type Answers, assemblyOf, firstHash, stubDeployment } from './stubs.ts';

/** The calls of a deployment in order, and the reasons for which it stops. The CDK CLI and the answers of AWS are stubs. */
const account = '111122223333';
const stackName = 'PartnerApi-test';

const table = { Type: 'AWS::DynamoDB::GlobalTable', DeletionPolicy: 'Retain', Properties: { KeySchema: [] } };
const next: Template = { Resources: { Table: table, Log: { Type: 'AWS::Logs::LogGroup', Properties: {} } } };
const added: ResourceChange = { Action: 'Add', LogicalResourceId: 'Log', ResourceType: 'AWS::Logs::LogGroup' };
const emptied: ResourceChange = {
  Action: 'Modify',
  LogicalResourceId: 'Table',
  PhysicalResourceId: 'x-Table',
  ResourceType: table.Type,
  Replacement: 'True',
  Details: [{ Target: { Name: 'KeySchema', RequiresRecreation: 'Always' } }],
};

const missing = Object.assign(new Error(`Stack with id ${stackName} does not exist`), { name: 'ValidationError' });
const stackThatIs = (StackStatus: string) => ({ Stacks: [{ StackName: stackName, StackStatus }] });
const changeSetOf = (...changes: ResourceChange[]) => ({
  Status: 'CREATE_COMPLETE',
  Changes: changes.map((each) => ({ ResourceChange: each })),
});
const withoutChanges = { Status: 'FAILED', StatusReason: "The submitted information didn't contain changes." };

/** The answers of an account with a deployed stack, to a deployment that adds a resource. */
const usual: Answers = {
  GetCallerIdentity: { Account: account, Arn: `arn:aws:iam::${account}:user/deployer` },
  DescribeStacks: stackThatIs('UPDATE_COMPLETE'),
  GetTemplate: { TemplateBody: JSON.stringify({ Resources: { Table: table } }) },
  DescribeChangeSet: changeSetOf(added),
  DeleteChangeSet: {},
  SetStackPolicy: {},
  Invoke: { StatusCode: 200 },
};

const deploymentFrom = (root: string) => {
  const assembly = assemblyOf(stackName, next);
  return { stage: 'test', account, region: 'eu-central-1', root, assembly, jobs: jobsOfDeployment };
};

type Options = { readonly answer?: boolean; readonly failing?: string; readonly givenUp?: readonly string[] };

/** Deploys, and returns what was called, asked and printed. The answer to the question is yes by default. */
const deploy = async (answers: Answers, { answer = true, failing, givenUp = [] }: Options = {}) => {
  const { root, calls } = stubDeployment({ ...usual, ...answers }, failing);
  const [printed, questions]: [string[], string[]] = [[], []];
  const terminal = {
    print: (text: string) => void printed.push(text),
    confirm: async (question: string) => {
      questions.push(question);
      return answer;
    },
  };
  const refusal = await deployStage({ ...deploymentFrom(root), givenUp }, terminal).then(
    () => undefined,
    (error: Error) => error.message,
  );
  const names = calls().map((call) => /^cdk .*--method \S+|^\w+/.exec(call)?.[0].replace(/ .*--method/, '') ?? '');
  return { refusal, questions, printed: printed.join(''), calls: calls(), names };
};

/** What a deployment reads before the CDK CLI uploads anything. */
const opened = ['GetCallerIdentity', 'DescribeStacks', 'GetTemplate'];
/** The calls of a deployment that deletes its change set instead of executing it, so the account is unchanged. */
const withdrawn = [...opened, 'cdk prepare-change-set', 'DescribeChangeSet', 'DescribeChangeSet', 'DeleteChangeSet'];

describe('a deployment', () => {
  test('with credentials of another account is refused before any request to its stack', async () => {
    const { refusal, names } = await deploy({ GetCallerIdentity: { Account: '222233334444', Arn: 'arn' } });
    expect(refusal).toMatch(/is in account 111122223333 .* of account 222233334444/);
    expect(names).toEqual(['GetCallerIdentity']);
  });

  test.each([
    [
      'ROLLBACK_COMPLETE',
      /first deployment of PartnerApi-test failed.*clean up as described in docs\/first-deploy\.md/,
    ],
    ['UPDATE_ROLLBACK_FAILED', /continue-update-rollback --stack-name PartnerApi-test/],
    ['DELETE_FAILED', /The deletion of PartnerApi-test was started/],
    ['UPDATE_IN_PROGRESS', /Wait until it has ended/],
  ])('to a stack that is %s is refused before anything is uploaded: %s', async (status, sentence) => {
    const { refusal, names } = await deploy({ DescribeStacks: stackThatIs(status) });
    expect(refusal).toMatch(sentence);
    expect(names).toEqual(['GetCallerIdentity', 'DescribeStacks']);
  });

  test.each(['REVIEW_IN_PROGRESS', 'CREATE_COMPLETE', 'UPDATE_ROLLBACK_COMPLETE'])(
    'to a stack that is %s is executed',
    async (status) => {
      const { names } = await deploy({ DescribeStacks: stackThatIs(status) });
      expect(names).toContain('cdk execute-change-set');
    },
  );

  test('shows its changes, asks once, and executes the change set that it showed', async () => {
    const { refusal, names, printed, questions, calls } = await deploy({});
    expect(refusal).toBeUndefined();
    expect(printed).toMatch(/^add {2}AWS::Logs::LogGroup {2}1$/m);
    expect(questions).toEqual([`Deploy these 1 changes to ${stackName} in account ${account}?`]);
    expect(names).toEqual([
      ...withdrawn.slice(0, -1),
      'SetStackPolicy',
      'cdk execute-change-set',
      'SetStackPolicy',
      'DescribeStacks',
      ...jobsOfDeployment.map(() => 'Invoke'),
    ]);
    const changeSets = calls.flatMap((call) =>
      /--change-set-name (\S+)|"ChangeSetName":"([^"]+)"/.exec(call)?.slice(1),
    );
    expect(new Set(changeSets.filter(Boolean)).size).toBe(1);
    expect(calls.filter((call) => call.startsWith('cdk'))[0]).toMatch(
      new RegExp(`^cdk deploy ${stackName} --app \\S+ --require-approval never --method prepare-change-set`),
    );
  });

  test('protects the tables of the stack, before and after', async () => {
    const policies = (await deploy({})).calls.filter((call) => call.startsWith('SetStackPolicy'));
    for (const policy of policies) expect(policy).toMatch(/Update:Delete.*LogicalResourceId\/Table/);
    expect(policies).toHaveLength(2);
  });

  test('counts the changes within nested stacks, not the nested stacks', async () => {
    const nested = { Action: 'Modify', LogicalResourceId: 'Monitoring', ChangeSetId: 'of-nested' } as const;
    // The status and the changes of the change set, then those of the nested one.
    const changeSets = [nested, nested, added, added].map((each) => changeSetOf(each));
    const { questions, printed } = await deploy({ DescribeChangeSet: () => changeSets.shift() ?? {} });
    expect([questions.length, changeSets]).toEqual([1, []]);
    expect(printed).toMatch(/^add {2}AWS::Logs::LogGroup {2}1$/m);
  });

  test('without changes asks no question, executes nothing and deletes its change set', async () => {
    const { refusal, names, printed, questions } = await deploy({ DescribeChangeSet: withoutChanges });
    expect([refusal, questions]).toEqual([undefined, []]);
    expect(printed).toContain(`${stackName} already matches the template.`);
    expect(names).toEqual([
      ...opened,
      'cdk prepare-change-set',
      'DescribeChangeSet',
      'DeleteChangeSet',
      'SetStackPolicy',
    ]);
  });

  test('that would lose data is refused before anything changes, without a question', async () => {
    const { refusal, names, questions } = await deploy({ DescribeChangeSet: changeSetOf(added, emptied) });
    expect(refusal).toMatch(/^Table \(x-Table\) would be replaced by an empty one because of KeySchema/);
    expect(refusal).toContain('Nothing was changed.');
    expect([questions, names]).toEqual([[], withdrawn]);
  });

  test('is not executed if the answer is not yes', async () => {
    const { refusal, names, questions } = await deploy({}, { answer: false });
    expect(refusal).toBe('Nothing was changed: the answer was not yes.');
    expect(questions).toHaveLength(1);
    expect(names).toEqual(withdrawn);
  });

  test('is refused unless its queue is given up', async () => {
    const queue = { Type: 'AWS::SQS::Queue', Properties: {} };
    const answers = {
      GetTemplate: { TemplateBody: JSON.stringify({ Resources: { Queue: queue } }) },
      DescribeChangeSet: changeSetOf({ Action: 'Remove', LogicalResourceId: 'Queue', ResourceType: queue.Type }),
    };
    expect((await deploy(answers)).refusal).toMatch(/--give-up Queue\.\nNothing was changed/);
    expect((await deploy(answers, { givenUp: ['Queue'] })).refusal).toBeUndefined();
  });

  test('that fails halfway prints what the CDK CLI says, and is refused', async () => {
    const { refusal, printed } = await deploy({}, { failing: 'execute-change-set' });
    expect(refusal).toMatch(/^cdk deploy ended with exit code 1/);
    expect(printed).toContain('output of cdk deploy');
  });

  test('that CloudFormation rolled back is no success, even if the CDK CLI reports one', async () => {
    const { refusal } = await deploy({ DescribeStacks: stackThatIs('UPDATE_ROLLBACK_COMPLETE') });
    expect(refusal).toMatch(/^PartnerApi-test is UPDATE_ROLLBACK_COMPLETE/);
  });
});

describe('the jobs whose alarms ring until their first run', () => {
  const invoked = (calls: readonly string[]) =>
    calls.flatMap((call) => (call.startsWith('Invoke ') ? [JSON.parse(call.replace('Invoke ', '')).FunctionName] : []));

  test('run once at the end of a deployment', async () => {
    const { calls, printed } = await deploy({});
    expect(invoked(calls)).toEqual(jobsOfDeployment.map((name) => `PartnerApi-test-${name}`));
    expect(calls.at(-1)).toContain('Invoke');
    expect(printed).toContain('The job watchMacKeys has run.\n');
  });

  test.each<[string, Answers]>([
    ['a deployment without changes', { DescribeChangeSet: withoutChanges }],
    ['one that is refused', { DescribeChangeSet: changeSetOf(emptied) }],
    ['one that was rolled back', { DescribeStacks: stackThatIs('UPDATE_ROLLBACK_COMPLETE') }],
  ])('do not run after %s', async (_, answers) => {
    expect(invoked((await deploy(answers)).calls)).toEqual([]);
  });

  test.each<[string, object, string]>([
    [
      'ends with an error',
      { FunctionError: 'Unhandled', Payload: Buffer.from('{"errorMessage":"no key"}') },
      '{"errorMessage":"no key"}',
    ],
    [
      'may not be run',
      Object.assign(new Error('not authorized to perform: lambda:InvokeFunction'), { name: 'AccessDeniedException' }),
      'AccessDeniedException: not authorized to perform: lambda:InvokeFunction',
    ],
  ])('do not fail the deployment, if one %s: it says so, and runs the others', async (_, answer, fault) => {
    const answers = [answer, {}, {}];
    const { refusal, calls, printed } = await deploy({ Invoke: () => answers.shift() ?? {} });
    expect(refusal).toBeUndefined();
    expect(invoked(calls)).toHaveLength(3);
    const [first] = jobsOfDeployment;
    expect(printed).toContain(
      `The deployment succeeded, but the job ${first} failed: ${fault}\nIts alarm rings until the job runs. Correct the cause, then run: aws lambda invoke --function-name PartnerApi-test-${first} /dev/stdout\n`,
    );
    expect(printed.match(/has run\./g)).toHaveLength(2);
  });
});

describe('a first deployment', () => {
  const failing = 'prepare-change-set';

  test('that fails before its change set says what an administrator has to prepare, and why', async () => {
    const { refusal, printed, names } = await deploy({ DescribeStacks: missing }, { failing });
    expect(refusal).toMatch(/^cdk deploy ended with exit code 1/);
    expect(refusal).toContain('ask an administrator to run: npm run access -- --stage test');
    expect(printed).toContain('output of cdk deploy');
    expect(names).toEqual(['GetCallerIdentity', 'DescribeStacks', 'cdk prepare-change-set']);
  });

  test('does not ask for npm run access if the stack exists', async () => {
    expect((await deploy({}, { failing })).refusal).not.toContain('npm run access');
  });

  test('reads no template and sets no policy of a stack that does not exist yet', async () => {
    const { refusal, names } = await deploy({ DescribeStacks: stackThatIs('REVIEW_IN_PROGRESS') });
    expect(refusal).toMatch(/is REVIEW_IN_PROGRESS/);
    expect(names).toEqual([
      'GetCallerIdentity',
      'DescribeStacks',
      'cdk prepare-change-set',
      'DescribeChangeSet',
      'DescribeChangeSet',
      'cdk execute-change-set',
      'SetStackPolicy',
      'DescribeStacks',
    ]);
  });
});

test('a plan only reads: it compares with the deployed template, and creates no change set', async () => {
  const { root, calls } = stubDeployment(usual);
  const printed: string[] = [];
  await planStage(deploymentFrom(root), { print: (text) => void printed.push(text) });
  expect(calls().map((call) => call.split(' ').slice(0, 2).join(' ').replace(/ \{.*/, ''))).toEqual([
    ...opened,
    'cdk diff',
  ]);
  expect(printed.join('')).toContain(`output of cdk diff ${stackName} --app`);
  const [, file = ''] = /--template (\S+)/.exec(printed.join('')) ?? [];
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ Resources: { Table: table } });
});

test('a roll-back to code without a table keeps the table and the resources to which it refers', () => {
  const key = { Type: 'AWS::KMS::Key', Properties: {} };
  const encrypted = { ...table, Properties: { Key: { 'Fn::GetAtt': ['Key', 'Arn'] } } };
  const log = { Type: 'AWS::Logs::LogGroup', Properties: {} };
  const assembly = assemblyOf(stackName, { Resources: { Log: log } });
  const said: string[] = [];
  const deployed = { Resources: { Encrypted: encrypted, Key: key, Rule: { Type: 'AWS::Events::Rule' } } };
  keepDataResources({ assembly, stage: 'test', deployed }, (text) => void said.push(text));
  const read = (name: string) => readFileSync(join(assembly, name), 'utf8');
  const text = read(`${stackName}.template.json`);
  expect(JSON.parse(text)).toEqual({ Resources: { Log: log, Encrypted: encrypted, Key: key } });
  expect(said.join('')).toMatch(/^Encrypted \(AWS::DynamoDB::GlobalTable\) is not in the older code/);
  const hash = createHash('sha256').update(text).digest('hex');
  for (const name of ['manifest.json', `${stackName}.assets.json`]) {
    expect(read(name)).toContain(hash);
    expect(read(name)).not.toContain(firstHash);
  }
});
