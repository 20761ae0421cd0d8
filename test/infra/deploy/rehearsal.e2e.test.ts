import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, vi } from 'vitest';
import { loadStageConfig } from '../../../config/load.ts';
import { cdkCli } from '../../../infra/cdk-cli.ts';
import { deployStage } from '../../../infra/deploy/deploy.ts';
import { planStage } from '../../../infra/deploy/plan.ts';
import { Refusal } from '../../../infra/deploy/refusal.ts';
import { tables } from '../../../lambdas/api/tables.ts';
import { type LocalAccount, openLocalAccount } from '../../../local/account/local-account.ts';
import { connectToLocalRun } from '../../../operator/connection/local.ts';
import { smokeChecksOf } from '../../../operator/smoke/smoke-checks.ts';
import { campaign, provenTest } from '../../support/campaign.ts';
import { companyOf, openService } from '../../support/service.ts';
import { requestsOfDeployments } from '../access/handler-requests.ts';
import { stackName } from '../synthesized.ts';
import { type Mutable, synthesized, synthesizedAccess, uploadedAssembly, withTemplate } from './assemblies.ts';

const { account: accountId, region, companies } = loadStageConfig('local');

let account: LocalAccount;
let assembly: string;
beforeAll(async () => {
  assembly = await synthesized();
});
afterAll(() => account.close());

/** An account in which nobody has ever deployed anything. */
const openAccount = async (): Promise<void> => {
  await account?.close();
  account = await openLocalAccount(
    { partition: 'aws', region, accountId },
    { requestsOf: requestsOfDeployments({ account: accountId, region }) },
  );
  vi.stubEnv('AWS_ENDPOINT_URL', account.endpoint);
};
beforeEach(() => {
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'local');
  vi.stubEnv('AWS_REGION', region);
  vi.stubEnv('AWS_ENDPOINT_URL', account?.endpoint);
  // The CLI remembers there which account a key is for.
  vi.stubEnv('CDK_HOME', cdkHome);
});

const cdkHome = mkdtempSync(join(tmpdir(), 'cdk-home-'));

const root = process.cwd();

const cdk = async (...options: string[]) => {
  const { command, arguments: commandLine, environment } = cdkCli([...options, '--no-notices'], root);
  const child = spawn(command, commandLine, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { exitCode, output: stdout + stderr };
};

/** Prepares the account as README says: the rights of the stage, then what the CDK needs, with no more than these rights. */
const prepareAccount = async (stage: string, assembly: string): Promise<void> => {
  const access = await cdk('deploy', '--app', synthesizedAccess(stage), '--require-approval', 'never');
  expect([access.exitCode, access.output]).toEqual([0, expect.stringContaining('ExecutionPolicies')]);
  const { template } = theStack(`PartnerApiAccess-${stage}`);
  const policies = String(template.Outputs?.ExecutionPolicies?.Value);
  const options = ['--cloudformation-execution-policies', policies];
  expect((await cdk('bootstrap', '--app', assembly, ...options)).exitCode).toBe(0);
};

type Deployed = { readonly printed: string; readonly questions: readonly string[]; readonly refusal?: string };

/** Deploys as `npm run deploy` does, behind the synthesis; a yes is given unless the answer is another. */
const deploy = async (from: string, { stage = 'test', answer = true } = {}): Promise<Deployed> => {
  const printed: string[] = [];
  const questions: string[] = [];
  const terminal = {
    print: (each: string) => void printed.push(each),
    confirm: async (question: string) => {
      questions.push(question);
      return answer;
    },
  };
  const deployment = { stage, account: accountId, region, root, assembly: from };
  const refusal = await deployStage(deployment, terminal).then(
    () => undefined,
    (error) => {
      if (error instanceof Refusal) return error.message;
      throw error;
    },
  );
  return { printed: printed.join(''), questions, ...(refusal !== undefined && { refusal }) };
};

const theStack = (name = stackName) => {
  const stack = account.stacks.get(name);
  if (!stack) throw new Error(`The account has no stack ${name}.`);
  return stack;
};

const physicalIds = () =>
  [...theStack().resources.values()].map(({ logicalId, physicalId }) => [logicalId, physicalId]);

describe('a first deployment', () => {
  beforeAll(openAccount);

  provenTest('without bootstrap changes nothing, and says what is missing', campaign, async () => {
    const { refusal, printed } = await deploy(assembly);
    expect(printed).toContain("run 'cdk bootstrap'");
    expect(refusal).toMatch(/^cdk deploy ended with exit code 1/);
    expect(account.stacks.size).toBe(0);
  });

  provenTest('with credentials of another account is refused before anything is asked of it', campaign, async () => {
    const requests = account.requests.length;
    const deployment = { stage: 'test', account: '222233334444', region, root, assembly };
    const terminal = { print: () => undefined, confirm: async () => true };
    await expect(deployStage(deployment, terminal)).rejects.toThrow(/is in account 222233334444/);
    expect(account.requests.slice(requests)).toEqual(['sts GetCallerIdentity']);
  });

  provenTest(
    'into a bootstrapped account creates every resource after those that it refers to, and protects the stack',
    campaign,
    async () => {
      await prepareAccount('test', assembly);
      const { refusal, questions, printed } = await deploy(assembly);
      expect(refusal).toBeUndefined();
      expect(questions).toHaveLength(1);
      expect(printed).toMatch(new RegExp(`^add +AWS::DynamoDB::GlobalTable +${Object.keys(tables).length}$`, 'm'));
      const { status, terminationProtection, events, policy, template } = theStack();
      expect([status, terminationProtection]).toEqual(['CREATE_COMPLETE', true]);
      const created = events.filter(({ ResourceStatus }) => ResourceStatus === 'CREATE_COMPLETE');
      const order = created.map(({ LogicalResourceId }) => LogicalResourceId);
      expect(order).toHaveLength(Object.keys(template.Resources).length + 1);
      const at = (pattern: RegExp) => order.findIndex((logicalId) => pattern.test(logicalId));
      expect(at(/^SeamsConsumersrecordKeyNoticesSourceMapping[0-9A-F]{8}$/)).toBeGreaterThan(at(/^ApiDeploymentStage/));
      expect(policy).toMatch(/"Update:Delete".*LogicalResourceId\/AuditLog/);
    },
  );

  provenTest('takes the roles that the workflow may take, and no other', campaign, () => {
    const roles = new Set(account.requests.filter((each) => each.startsWith('sts AssumeRole')));
    expect([...roles].toSorted()).toEqual(
      ['deploy', 'file-publishing', 'lookup'].map(
        (role) => `sts AssumeRole arn:aws:iam::${accountId}:role/cdk-hnb659fds-${role}-role-${accountId}-${region}`,
      ),
    );
  });

  provenTest('is followed by one that has nothing to change, and asks nothing', campaign, async () => {
    const before = physicalIds();
    const { printed, questions, refusal } = await deploy(assembly);
    expect(printed).toContain(`${stackName} is as the template says already.`);
    expect([questions, refusal]).toEqual([[], undefined]);
    expect(physicalIds()).toEqual(before);
  });
});

describe('a plan', () => {
  provenTest(
    'shows what would change, takes no role for it, and asks CloudFormation for no change',
    campaign,
    async () => {
      const changed = withTemplate(assembly, (template) => {
        for (const { Type, Properties } of Object.values(template.Resources))
          if (Type === 'AWS::Logs::LogGroup') Properties.RetentionInDays = 90;
      });
      const [printed, requests]: [string[], number] = [[], account.requests.length];
      const plan = { stage: 'test', account: accountId, region, root, assembly: changed };
      await planStage(plan, { print: (each) => void printed.push(each) });
      expect(printed.join('')).toMatch(/\[~\] AWS::Logs::LogGroup .*\n.*RetentionInDays/);
      expect(account.requests.slice(requests)).toEqual([
        ...['sts GetCallerIdentity', 'cloudformation DescribeStacks', 'cloudformation GetTemplate'],
      ]);
    },
  );
});

describe('a later deployment', () => {
  /** What the last change set was to change. */
  let applied: readonly string[] = [];
  const deployAndList = async (from: string, options?: { answer: boolean }) => {
    const before = theStack().events.length;
    const result = await deploy(from, options);
    const events = theStack().events.slice(before);
    applied = events
      .filter(
        ({ ResourceStatus, LogicalResourceId }) =>
          ResourceStatus === 'UPDATE_COMPLETE' && LogicalResourceId !== stackName,
      )
      .map(({ ResourceType }) => ResourceType);
    return result;
  };
  const logicalIdOf = (name: string) => {
    const found = Object.keys(theStack().template.Resources).find((each) =>
      new RegExp(`^${name}[0-9A-F]{8}$`).test(each),
    );
    if (!found) throw new Error(`The stack has no ${name}.`);
    return found;
  };

  provenTest(
    'of another allowlist touches the API, its deployment and its stage, and nothing else',
    campaign,
    async () => {
      const [first, ...others] = companies;
      if (!first) throw new Error('The configuration has no company.');
      const moved = [{ ...first, allowedCidrs: [...first.allowedCidrs, '127.0.0.77/32'] }, ...others];
      const { refusal } = await deployAndList(await synthesized({ companies: moved }));
      expect(refusal).toBeUndefined();
      expect(applied.toSorted()).toEqual(['AWS::ApiGateway::RestApi', 'AWS::ApiGateway::Stage']);
      const made = theStack()
        .events.filter(({ ResourceStatus }) => ResourceStatus === 'CREATE_COMPLETE')
        .at(-1);
      expect(made?.ResourceType).toBe('AWS::ApiGateway::Deployment');
      await deploy(assembly);
    },
  );

  const changesSince = (start: number) =>
    theStack()
      .events.slice(start)
      .filter(
        ({ ResourceStatus, LogicalResourceId }) => /COMPLETE$/.test(ResourceStatus) && LogicalResourceId !== stackName,
      )
      .map(({ ResourceStatus, ResourceType }) => `${ResourceStatus} ${ResourceType}`);
  const liveVersion = () =>
    theStack().resources.get(logicalIdOf('EndpointsgetContractLive'))?.properties.FunctionVersion;
  const versions = () => [...theStack().resources.values()].filter(({ type }) => type === 'AWS::Lambda::Version');

  provenTest(
    'of other code of one function touches that function, its version and its alias, and deletes the old version last',
    campaign,
    async () => {
      const [before, start, versionsBefore] = [liveVersion(), theStack().events.length, versions()];
      expect((await deploy(await synthesized({}, { changed: 'getContract' }))).refusal).toBeUndefined();
      expect(changesSince(start)).toEqual([
        'UPDATE_COMPLETE AWS::Lambda::Function',
        'CREATE_COMPLETE AWS::Lambda::Version',
        'UPDATE_COMPLETE AWS::Lambda::Alias',
        'DELETE_COMPLETE AWS::Lambda::Version',
      ]);
      expect(liveVersion()).not.toBe(before);
      expect(versions()).toHaveLength(versionsBefore.length);
      expect((await deploy(await synthesized({}, { isAtOnce: true }))).refusal).toBeUndefined();
      expect(theStack().template.Resources[logicalIdOf('EndpointsgetContractLive')]).not.toHaveProperty('UpdatePolicy');
      expect(theStack().status).toBe('UPDATE_COMPLETE');
    },
  );

  provenTest(
    'whose new version is put back leaves the old version, and the alias that leads to it',
    campaign,
    async () => {
      const [before, versionsBefore] = [liveVersion(), versions().map(({ physicalId }) => physicalId)];
      account.failOnce('EndpointsgetContractLive', 'CodeDeploy deployment d-1 was rolled back: an alarm rings.');
      const { refusal, printed } = await deploy(await synthesized({}, { changed: 'getContract' }));
      expect([refusal, printed]).toEqual([
        expect.stringMatching(/^cdk deploy ended/),
        expect.stringContaining('an alarm rings'),
      ]);
      expect([theStack().status, liveVersion()]).toEqual(['UPDATE_ROLLBACK_COMPLETE', before]);
      expect(versions().map(({ physicalId }) => physicalId)).toEqual(versionsBefore);
    },
  );

  provenTest.each([
    [
      'with other keys of a table',
      /AuditLog\w+ \(.*\) would be replaced by an empty one, because of KeySchema/,
      (template: Mutable) => {
        template.Resources[logicalIdOf('AuditLog')].Properties.KeySchema[0].AttributeName = 'sk';
      },
    ],
    [
      'without a table',
      /AuditLog\w+ \(.*\) would leave the stack/,
      (template: Mutable) => {
        const resources = JSON.stringify(template.Resources).replaceAll(
          `"${logicalIdOf('AuditLog')}"`,
          `"${logicalIdOf('Contracts')}"`,
        );
        const { [logicalIdOf('Contracts')]: contracts } = template.Resources;
        template.Resources = { ...JSON.parse(resources), [logicalIdOf('Contracts')]: contracts };
      },
    ],
    [
      'that replaces a function of a fixed name',
      /has the fixed name PartnerApi-test-getContract and would have to be replaced, because of PackageType/,
      (template: Mutable) => {
        const named = Object.values(template.Resources).find(
          ({ Properties }) => Properties?.FunctionName === `${stackName}-getContract`,
        );
        Object.assign(named?.Properties ?? {}, { PackageType: 'Image' });
      },
    ],
    [
      'of two indexes of one table at once',
      /would change several indexes/,
      (template: Mutable) => {
        const table = template.Resources[logicalIdOf('AuditLog')].Properties;
        table.GlobalSecondaryIndexes = ['one', 'two'].map((IndexName) => ({ IndexName }));
      },
    ],
  ] as const)('%s is refused before anything changes', campaign, async (_, sentence, change) => {
    const [before, events] = [physicalIds(), theStack().events.length];
    const { refusal, questions } = await deploy(withTemplate(assembly, change));
    expect(refusal).toMatch(sentence);
    expect(refusal).toContain('Nothing was changed.');
    expect(questions).toEqual([]);
    expect([physicalIds(), theStack().events.length, theStack().changeSets.size]).toEqual([before, events, 0]);
  });

  provenTest('is not made without a yes', campaign, async () => {
    const [before, events] = [physicalIds(), theStack().events.length];
    const changed = withTemplate(assembly, (template) => {
      template.Resources[logicalIdOf('AuditLog')].Properties.TableClass = 'STANDARD';
    });
    expect((await deploy(changed, { answer: false })).refusal).toContain('Nothing was changed');
    expect([physicalIds(), theStack().events.length]).toEqual([before, events]);
  });

  provenTest('by the CLI alone is stopped by the stack policy, where it would replace a table', campaign, async () => {
    const before = physicalIds();
    const changed = withTemplate(assembly, (template) => {
      template.Resources[logicalIdOf('AuditLog')].Properties.KeySchema[0].AttributeName = 'sk';
    });
    const { exitCode, output } = await cdk('deploy', '--app', changed, '--require-approval', 'never');
    expect([exitCode, output]).toEqual([1, expect.stringContaining('Action denied by stack policy')]);
    expect([theStack().status, physicalIds()]).toEqual(['UPDATE_ROLLBACK_COMPLETE', before]);
  });

  provenTest('that fails halfway is put back, and says what failed', campaign, async () => {
    const before = physicalIds();
    const changed = withTemplate(assembly, (template) => {
      for (const { Type, Properties } of Object.values(template.Resources))
        if (Type === 'AWS::Lambda::Function') Properties.Timeout += 1;
    });
    account.failOnce('EndpointslistGateways', 'Resource handler returned message: "Rate exceeded"');
    const { refusal, printed } = await deploy(changed);
    expect(refusal).toMatch(/^cdk deploy ended/);
    expect(printed).toContain('Rate exceeded');
    expect([theStack().status, physicalIds()]).toEqual(['UPDATE_ROLLBACK_COMPLETE', before]);
    expect((await deploy(changed)).refusal).toBeUndefined();
    expect(theStack().status).toBe('UPDATE_COMPLETE');
  });

  provenTest('of something that the stage has no right to is refused, and put back', campaign, async () => {
    const before = physicalIds();
    const changed = withTemplate(assembly, (template) => {
      const role = Object.values(template.Resources).find(({ Type }) => Type === 'AWS::IAM::Role');
      delete role?.Properties.PermissionsBoundary;
    });
    expect((await deploy(changed)).printed).toMatch(/cfn-exec-role.* is not authorized to perform: iam:/);
    expect([theStack().status, physicalIds()]).toEqual(['UPDATE_ROLLBACK_COMPLETE', before]);
  });

  provenTest('with code that was not uploaded fails and is put back', campaign, async () => {
    const changed = withTemplate(assembly, (template) => {
      for (const { Type, Properties } of Object.values(template.Resources))
        if (Type === 'AWS::Lambda::Function') Properties.Code.S3Key = 'nothing.zip';
    });
    expect((await deploy(changed)).printed).toContain('NoSuchKey');
    expect(theStack().status).toBe('UPDATE_ROLLBACK_COMPLETE');
  });

  provenTest.each([
    [
      'a circle',
      /Circular dependency/,
      (template: Mutable) => {
        const [one, other] = [logicalIdOf('AuditLog'), logicalIdOf('Contracts')];
        Object.assign(template.Resources[one] ?? {}, { DependsOn: [other] });
        Object.assign(template.Resources[other] ?? {}, { DependsOn: [one] });
      },
    ],
    [
      'a reference that leads nowhere',
      /Unresolved resource dependencies \[Nobody\]/,
      (template: Mutable) => {
        template.Resources[logicalIdOf('AuditLog')].Properties.TableName = { Ref: 'Nobody' };
      },
    ],
    [
      'more than 500 resources',
      /greater than maximum allowed, 500/,
      (template: Mutable) => {
        for (let index = 0; index < 500; index++)
          template.Resources[`Topic${index}`] = { Type: 'AWS::SNS::Topic', Properties: {} };
      },
    ],
    [
      'more than a megabyte',
      /may not exceed/,
      (template: Mutable) => {
        template.Resources[logicalIdOf('AuditLog')].Properties.TableName = 'x'.repeat(1_000_000);
      },
    ],
  ] as const)(
    'of a template with %s is refused by CloudFormation, and nothing changes',
    campaign,
    async (_, sentence, change) => {
      const before = physicalIds();
      const { printed, refusal } = await deploy(withTemplate(assembly, change));
      expect(printed).toMatch(sentence);
      expect(refusal).toMatch(/^cdk deploy ended/);
      expect(physicalIds()).toEqual(before);
    },
  );
});

describe('the end of a stack', () => {
  provenTest('is refused as long as it is protected', campaign, async () => {
    const { output } = await cdk('destroy', '--app', assembly, '--force');
    expect(output).toContain('TerminationProtection is enabled');
    expect(theStack().status).not.toMatch(/^DELETE/);
  });

  provenTest('leaves what holds data', campaign, async () => {
    const retained = Object.values(theStack().template.Resources).filter(
      ({ DeletionPolicy = 'Delete' }) => DeletionPolicy !== 'Delete',
    );
    theStack().terminationProtection = false;
    expect((await cdk('destroy', '--app', assembly, '--force')).exitCode).toBe(0);
    expect(account.stacks.has(stackName)).toBe(false);
    expect(account.left).toHaveLength(retained.length);
    expect(account.left.map(({ logicalId }) => logicalId)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^AuditLog/)]),
    );
  });
});

describe('a first deployment that fails', () => {
  provenTest('says how to clean up, and the next one refuses until that is done', campaign, async () => {
    const before = account.left.length;
    account.failOnce('SeamsConsumersrecordKeyNoticesSourceMapping', 'Cannot access stream');
    expect((await deploy(assembly)).printed).toContain('Cannot access stream');
    expect(theStack().status).toBe('ROLLBACK_COMPLETE');
    const left = [...new Set(account.left.slice(before).map(({ type }) => type))].sort();
    expect(left).toEqual(['AWS::ApiGateway::Account', 'AWS::DynamoDB::GlobalTable', 'AWS::IAM::Role']);
    expect((await deploy(assembly)).refusal).toMatch(/clean up as docs\/first-deploy.md says/);
  });
});

describe('what was uploaded', () => {
  provenTest('is a service: its template and its code, served from there, pass the smoke test', campaign, async () => {
    await openAccount();
    vi.stubEnv('AWS_ENDPOINT_URL', account.endpoint);
    const local = inject('assemblyDirectory');
    await prepareAccount('local', local);
    expect((await deploy(local, { stage: 'local' })).refusal).toBeUndefined();
    vi.unstubAllEnvs();
    const service = await openService({ assembly: uploadedAssembly(account, 'PartnerApi-local') });
    const { readBaseUrl, close } = await connectToLocalRun(service.directory);
    const { apiKey } = companyOf(service, 'acme');
    for (const { what, expected, call } of smokeChecksOf({ baseUrl: await readBaseUrl(), apiKey, nowMs: Date.now() }))
      expect(await call(), what).toMatchObject(expected);
    close();
    await service.close();
  });
});
