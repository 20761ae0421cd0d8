import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest';
import { loadStageConfig } from '../../../config/load.ts';
import { bootstrapOptions, bootstrapStackNameOf, qualifierOf } from '../../../infra/access/bootstrap.ts';
import { accessCommands } from '../../../infra/access/program.ts';
import { executionPolicyArnsOf } from '../../../infra/access/rights.ts';
import { scopeOf } from '../../../infra/access/stack.ts';
import { cdkCli } from '../../../infra/cdk-cli.ts';
import { campaign, provenTest } from '../../support/campaign.ts';
import { type Account, openAccount, useAccount } from '../deploy/account.ts';

/** An administrator's one-time setup with the real CDK CLI: the stacks that it creates, and those that it does not change. */
const config = loadStageConfig('local');
const { account: accountId, region } = config;

let account: Account;
beforeAll(async () => {
  account = await openAccount({ region, accountId });
});
beforeEach(() => useAccount(account, region));
afterAll(() => account.close());

const runCdk = async (options: readonly string[]) => {
  const { command, arguments: commandLine, environment } = cdkCli([...options, '--no-notices'], process.cwd());
  await promisify(execFile)(command, commandLine, { env: environment });
};

const stackNamed = (name: string) => {
  const stack = account.stacks.get(name);
  if (!stack) throw new Error(`The account has no stack ${name}, but ${[...account.stacks.keys()].join(', ')}.`);
  return stack;
};

/** Returns the parameters of a stage's bootstrap that control permissions. */
const bootstrapOf = (stage: string) => {
  const { Qualifier, CloudFormationExecutionPolicies, InputPermissionsBoundary, ApplyPermissionsBoundaryToAllRoles } =
    stackNamed(bootstrapStackNameOf({ stage })).parameters;
  return { Qualifier, CloudFormationExecutionPolicies, InputPermissionsBoundary, ApplyPermissionsBoundaryToAllRoles };
};

const expectedOf = (stage: string) => ({
  Qualifier: qualifierOf({ stage }),
  CloudFormationExecutionPolicies: ['services', 'roles']
    .map((name) => `arn:aws:iam::${accountId}:policy/PartnerApiAccess-${stage}-execution-${name}`)
    .join(','),
  InputPermissionsBoundary: `PartnerApiAccess-${stage}-bootstrap`,
  ApplyPermissionsBoundaryToAllRoles: 'true',
});

describe('npm run access', () => {
  provenTest('creates the access stack and the bootstrap of the stage, both protected', campaign, async () => {
    for (const options of accessCommands('local', config, { yes: true })) await runCdk(options);
    expect([...account.stacks.keys()]).toEqual(['PartnerApiAccess-local', 'PartnerApiBootstrap-local']);
    for (const { status, terminationProtection } of account.stacks.values())
      expect([status, terminationProtection]).toEqual(['CREATE_COMPLETE', true]);
    expect(bootstrapOf('local')).toEqual(expectedOf('local'));
  });

  provenTest('does not change the bootstrap of another stage or of another app', campaign, async () => {
    await runCdk(['bootstrap', `aws://${accountId}/${region}`]);
    const [before, ofOthers] = [bootstrapOf('local'), stackNamed('CDKToolkit').parameters];
    const scope = scopeOf('other', config);
    await runCdk(bootstrapOptions(scope, executionPolicyArnsOf(scope)));
    expect(bootstrapOf('other')).toEqual(expectedOf('other'));
    expect(bootstrapOf('local')).toEqual(before);
    expect(stackNamed('CDKToolkit').parameters).toBe(ofOthers);
  });

  provenTest('can be run again: it finds nothing to change', campaign, async () => {
    const events = () => [...account.stacks.values()].map((stack) => stack.events.length);
    const before = events();
    for (const options of accessCommands('local', config, { yes: true })) await runCdk(options);
    expect(events()).toEqual(before);
  });
});
