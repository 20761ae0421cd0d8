import { createHash } from 'node:crypto';
import { cpSync, globSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest';
import { loadStageConfig } from '../../../config/load.ts';
import type { StageConfig } from '../../../config/schema.ts';
import { qualifierOf } from '../../../infra/access/bootstrap.ts';
import { deployStage, isOfSettingsAlone, planStage } from '../../../infra/deploy/deploy.ts';
import { keepWhatHoldsData } from '../../../infra/deploy/roll-back.ts';
import { Refusal } from '../../../infra/deploy/run.ts';
import type { Template } from '../../../infra/template.ts';
import { tables } from '../../../lambdas/api/tables.ts';
import { campaign, provenTest } from '../../support/campaign.ts';
import { appWith, stackName } from '../synthesized.ts';
import { type Account, openAccount, useAccount } from './account.ts';

/** The deployment with the real CDK CLI: the requests to an account, their roles and order, and the refusals. */
const { account: accountId, region, companies, monitoring } = loadStageConfig('local');
const root = process.cwd();

const synthesized = async (change: Partial<StageConfig> = {}, options: Parameters<typeof appWith>[1] = {}) =>
  (await appWith({ ...loadStageConfig('local'), ...change }, options)).synth().directory;

let account: Account;
let assembly: string;
beforeAll(async () => {
  account = await openAccount({ region, accountId });
  assembly = await synthesized();
});
beforeEach(() => useAccount(account, region));
afterAll(() => account.close());

/** Deploys as `npm run deploy` does after the synthesis. The answer to its question is yes by default. */
const deploy = async (from: string, { answer = true } = {}) => {
  const printed: string[] = [];
  const questions: string[] = [];
  const terminal = {
    print: (each: string) => void printed.push(each),
    confirm: async (question: string) => {
      questions.push(question);
      return answer;
    },
  };
  const refusal = await deployStage({ stage: 'test', account: accountId, region, root, assembly: from }, terminal).then(
    () => undefined,
    (error) => {
      if (error instanceof Refusal) return error.message;
      throw error;
    },
  );
  return { printed: printed.join(''), questions, refusal };
};

const theStack = () => {
  const stack = account.stacks.get(stackName);
  if (!stack) throw new Error(`The account has no stack ${stackName}.`);
  return stack;
};

/** Returns the nested stack of the monitoring. */
const theMonitoring = () => {
  const [name] = [...account.stacks.keys()].filter((each) => each.startsWith(`${stackName}-Monitoring`));
  return account.stacks.get(name ?? '') ?? theStack();
};

/** Returns the changes of a deployment, as `UPDATE_COMPLETE AWS::Lambda::Alias`. */
const changesBy = async (deployment: () => Promise<{ readonly refusal: string | undefined }>): Promise<string[]> => {
  const start = theStack().events.length;
  expect((await deployment()).refusal).toBeUndefined();
  return theStack()
    .events.slice(start)
    .filter(({ LogicalResourceId }) => LogicalResourceId !== stackName)
    .map(({ ResourceStatus, ResourceType }) => `${ResourceStatus} ${ResourceType}`);
};

// biome-ignore lint/suspicious/noExplicitAny: what is changed in it is in no type.
type Mutable = { Resources: Record<string, any> };

/** Returns the folder of the same assembly with a changed template, as another commit would have it. */
const withTemplate = (change: (template: Mutable) => void): string => {
  const folder = mkdtempSync(join(tmpdir(), 'assembly-'));
  cpSync(assembly, folder, { recursive: true });
  const template = JSON.parse(readFileSync(join(assembly, `${stackName}.template.json`), 'utf8'));
  change(template);
  const text = JSON.stringify(template);
  writeFileSync(join(folder, `${stackName}.template.json`), text);

  const manifest = readFileSync(join(assembly, 'manifest.json'), 'utf8');
  const [, oldHash = ''] = /stackTemplateAssetObjectUrl":\s*"[^"]*\/([0-9a-f]{64})\.json/.exec(manifest) ?? [];
  const hash = createHash('sha256').update(text).digest('hex');
  for (const file of ['manifest.json', `${stackName}.assets.json`])
    writeFileSync(join(folder, file), readFileSync(join(assembly, file), 'utf8').replaceAll(oldHash, hash));
  return folder;
};

const auditLogOf = ({ Resources }: Mutable) =>
  Object.entries(Resources).find(([logicalId]) => /^AuditLog[0-9A-F]{8}$/.test(logicalId))?.[1];
const withOtherKeys = () =>
  withTemplate((template) => {
    auditLogOf(template).Properties.KeySchema[0].AttributeName = 'sk';
  });

describe('a first deployment', () => {
  provenTest('without bootstrap changes nothing, and says what is missing', campaign, async () => {
    const { refusal, printed } = await deploy(assembly);
    expect(printed).toContain("run 'cdk bootstrap'");
    expect(refusal).toMatch(/^cdk deploy ended with exit code 1/);
    expect(refusal).toContain('an administrator runs: npm run access -- --stage test');
    expect(account.stacks.size).toBe(0);
    account.bootstrap();
  });

  provenTest('with credentials of another account is refused before any request to it', campaign, async () => {
    const requests = account.requests.length;
    const deployment = { stage: 'test', account: '222233334444', region, root, assembly };
    const terminal = { print: () => undefined, confirm: async () => true };
    await expect(deployStage(deployment, terminal)).rejects.toThrow(/is in account 222233334444/);
    expect(account.requests.slice(requests)).toEqual(['sts GetCallerIdentity']);
  });

  provenTest('that fails says how to clean up, and the next one refuses until that is done', campaign, async () => {
    account.failOnce('IntegrationsConsumersrecordKeyNoticesSourceMapping', 'Cannot access stream');
    expect((await deploy(assembly)).printed).toContain('Cannot access stream');
    expect(theStack().status).toBe('ROLLBACK_COMPLETE');
    expect((await deploy(assembly)).refusal).toMatch(/clean up as docs\/first-deploy.md says/);
    account.deleteStack(stackName);
  });

  provenTest('asks once, shows what it creates, and protects the stack and its tables', campaign, async () => {
    const { refusal, questions, printed } = await deploy(assembly);
    expect(refusal).toBeUndefined();
    expect(questions).toHaveLength(1);
    expect(printed).toMatch(new RegExp(`^add +AWS::DynamoDB::GlobalTable +${Object.keys(tables).length}$`, 'm'));
    const { status, terminationProtection, policy } = theStack();
    expect([status, terminationProtection]).toEqual(['CREATE_COMPLETE', true]);
    expect(theMonitoring().status).toBe('CREATE_COMPLETE');
    expect(policy).toMatch(/"Update:Delete".*LogicalResourceId\/AuditLog/);
  });

  provenTest('assumes only the roles that the workflow may assume', campaign, () => {
    const roles = new Set(account.requests.filter((each) => each.startsWith('sts AssumeRole')));
    expect([...roles].toSorted()).toEqual(
      ['deploy', 'file-publishing', 'lookup'].map(
        (role) =>
          `sts AssumeRole arn:aws:iam::${accountId}:role/cdk-${qualifierOf({ stage: 'test' })}-${role}-role-${accountId}-${region}`,
      ),
    );
  });

  provenTest('is followed by one that has nothing to change, and asks nothing', campaign, async () => {
    const events = theStack().events.length;
    const { printed, questions, refusal } = await deploy(assembly);
    expect(printed).toContain(`${stackName} is as the template says already.`);
    expect([questions, refusal, theStack().events.length]).toEqual([[], undefined, events]);
  });
});

provenTest('a plan shows what would change, without assuming a role or creating a change set', campaign, async () => {
  const changed = withTemplate((template) => {
    for (const { Type, Properties } of Object.values(template.Resources))
      if (Type === 'AWS::Logs::LogGroup') Properties.RetentionInDays = 90;
  });
  const nested = globSync(join(changed, '*Monitoring????????.nested.template.json'))[0] ?? '';
  writeFileSync(nested, readFileSync(nested, 'utf8').replace('"ENABLED"', '"DISABLED"'));
  const [printed, requests]: [string[], number] = [[], account.requests.length];
  const plan = { stage: 'test', account: accountId, region, root, assembly: changed };
  await planStage(plan, { print: (each) => void printed.push(each) });
  expect(printed.join('')).toMatch(/\[~\] AWS::Logs::LogGroup .*\n.*RetentionInDays/);
  expect(printed.join('')).toMatch(/\[~\] AWS::CloudWatch::InsightRule .*\n.*RuleState/);
  expect(account.requests.slice(requests)).toEqual([
    ...['sts GetCallerIdentity', 'cloudformation DescribeStacks', 'cloudformation GetTemplate'],
    // The stacks of the methods, the groups and the monitoring.
    ...Array(3).fill(['cloudformation DescribeStackResource', 'cloudformation GetTemplate']).flat(),
  ]);
});

describe('a later deployment', () => {
  provenTest('is classified: a new version of the terms, or new code', campaign, async () => {
    const isOf = (from: string) =>
      isOfSettingsAlone({ stage: 'test', account: accountId, region, root, assembly: from });
    const { consent } = loadStageConfig('local');
    const settings = await synthesized({ consent: { ...consent, requiredVersion: consent.requiredVersion + 1 } });
    const code = await synthesized({}, { changed: 'getContract' });
    expect([await isOf(settings), await isOf(code), await isOf(assembly)]).toEqual([true, false, false]);
  });

  provenTest('of another allowlist changes only the API, its deployment and its stage', campaign, async () => {
    const [first, ...others] = companies;
    if (!first) throw new Error('The configuration has no company.');
    const moved = [{ ...first, allowedCidrs: [...first.allowedCidrs, '127.0.0.77/32'] }, ...others];
    const from = await synthesized({ companies: moved });
    expect((await changesBy(() => deploy(from))).toSorted()).toEqual([
      'CREATE_COMPLETE AWS::ApiGateway::Deployment',
      'DELETE_COMPLETE AWS::ApiGateway::Deployment',
      'UPDATE_COMPLETE AWS::ApiGateway::RestApi',
      'UPDATE_COMPLETE AWS::ApiGateway::Stage',
    ]);
    expect((await deploy(assembly)).refusal).toBeUndefined();
  });

  provenTest('of alarm recipients is shown with the rest, and changes only the monitoring', campaign, async () => {
    const from = await synthesized({ monitoring: { ...monitoring, ticket: ['ops@example.com'] } });
    const [events, nested] = [theStack().events.length, theMonitoring().events.length];
    const { printed, questions, refusal } = await deploy(from);
    expect(refusal).toBeUndefined();
    expect(printed).toMatch(/^add +AWS::SNS::Subscription +1$/m);
    expect(questions).toEqual([expect.stringMatching(/^Deploy these 1 changes to PartnerApi-test /)]);
    const typesSince = (stack: ReturnType<typeof theStack>, start: number) => [
      ...new Set(stack.events.slice(start).map(({ ResourceType }) => ResourceType)),
    ];
    expect(typesSince(theStack(), events)).toEqual(['AWS::CloudFormation::Stack']);
    expect(typesSince(theMonitoring(), nested).toSorted()).toEqual([
      ...['AWS::CloudFormation::Stack', 'AWS::SNS::Subscription'],
    ]);
    expect((await deploy(assembly)).refusal).toBeUndefined();
  });

  provenTest('that fails in the monitoring changes nothing else either', campaign, async () => {
    const from = await synthesized(
      { monitoring: { ...monitoring, ticket: ['ops@example.com'] } },
      { changed: 'getContract' },
    );
    const deployed = theStack().templateBody;
    account.failOnce('TicketTopicopsexamplecom', 'Invalid endpoint');
    expect((await deploy(from)).refusal).toMatch(/^cdk deploy ended/);
    expect([theStack().status, theMonitoring().status]).toEqual(Array(2).fill('UPDATE_ROLLBACK_COMPLETE'));
    expect(theStack().templateBody).toBe(deployed);
  });

  provenTest('of one function’s code changes only the function, its version and its alias', campaign, async () => {
    const from = await synthesized({}, { changed: 'getContract' });
    expect((await changesBy(() => deploy(from))).toSorted()).toEqual([
      'CREATE_COMPLETE AWS::Lambda::Version',
      'DELETE_COMPLETE AWS::Lambda::Version',
      'UPDATE_COMPLETE AWS::Lambda::Alias',
      'UPDATE_COMPLETE AWS::Lambda::Function',
    ]);
    expect((await deploy(assembly)).refusal).toBeUndefined();
  });

  provenTest('that would lose data is refused before anything changes', campaign, async () => {
    const events = theStack().events.length;
    const { refusal, questions } = await deploy(withOtherKeys());
    expect(refusal).toMatch(/AuditLog\w+ \(.*\) would be replaced by an empty one, because of KeySchema/);
    expect(refusal).toContain('Nothing was changed.');
    expect([questions, theStack().events.length, theStack().changeSets.size]).toEqual([[], events, 0]);
  });

  provenTest('of code that lacks a table keeps the table in the stack, with what it refers to', campaign, async () => {
    const events = theStack().events.length;
    const from = withTemplate((template) => {
      for (const logicalId of Object.keys(template.Resources))
        if (/^(AuditLog|WebhookSecrets)/.test(logicalId)) delete template.Resources[logicalId];
    });
    expect((await deploy(from)).refusal).toMatch(/AuditLog\w+ \(.*\) would leave the stack/);
    const said: string[] = [];
    const deployed: Template = JSON.parse(theStack().templateBody);
    keepWhatHoldsData({ assembly: from, stage: 'test', deployed }, (text) => void said.push(text));
    expect(said.join('')).toMatch(/AuditLog\w+ \(AWS::DynamoDB::GlobalTable\) is not of that code/);
    expect(await deploy(from)).toMatchObject({ refusal: undefined, questions: [] });
    expect(theStack().events.length).toBe(events);
  });

  const withOtherTableClass = () =>
    withTemplate((template) => {
      auditLogOf(template).Properties.TableClass = 'STANDARD';
    });

  provenTest('is not executed without a yes', campaign, async () => {
    const events = theStack().events.length;
    expect((await deploy(withOtherTableClass(), { answer: false })).refusal).toContain('Nothing was changed');
    expect([theStack().events.length, theStack().changeSets.size]).toEqual([events, 0]);
  });

  provenTest('that fails halfway says what failed, and can be repeated', campaign, async () => {
    account.failOnce('AuditLog', 'Resource handler returned message: "Rate exceeded"');
    const { refusal, printed } = await deploy(withOtherTableClass());
    expect(refusal).toMatch(/^cdk deploy ended/);
    expect(printed).toContain('Rate exceeded');
    expect(theStack().status).toBe('UPDATE_ROLLBACK_COMPLETE');
    expect(await changesBy(() => deploy(withOtherTableClass()))).toEqual([
      'UPDATE_COMPLETE AWS::DynamoDB::GlobalTable',
    ]);
    expect(theStack().status).toBe('UPDATE_COMPLETE');
  });
});
