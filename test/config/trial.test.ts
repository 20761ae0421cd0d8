import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { check, loadStageConfig, loadTrialConfig, maxStageCharacters } from '../../config/load.ts';
import { stageConfig } from '../../config/schema.ts';
import { blocksOfTrial, isTrial } from '../../config/trial.ts';
import { placeOfTrial } from '../support/trial.ts';

test('the committed trial is complete: nobody has to fill in anything', () => {
  const config = loadTrialConfig('trial', placeOfTrial);
  expect(check(stageConfig, config).faults).toEqual([]);
  expect(config).toMatchObject({
    account: '210987654321',
    region: 'eu-central-1',
    simulatedHomes: 3,
    monitoring: { page: [], ticket: [] },
    companies: [{ companyId: 'demo', allowedCidrs: ['93.184.216.34/32'] }],
  });
});

test('the URLs of the committed trial lead nowhere, and say where the reader finds what they stand for', () => {
  const { consent, monitoring } = loadTrialConfig('trial', placeOfTrial);
  expect(new URL(consent.portalUrl).host).toBe('simulated-portal.invalid');
  const { host, pathname } = new URL(monitoring.runbooksUrl);
  expect(host).toBe('your-checkout.invalid');
  expect(existsSync(join(import.meta.dirname, '../..', pathname, 'README.md'))).toBe(true);
});

test.each([
  ['trial', true],
  ['trial-b', true],
  [`trial-${'b'.repeat(maxStageCharacters - 'trial-'.length)}`, true],
  [`trial-${'b'.repeat(maxStageCharacters - 'trial-'.length + 1)}`, false],
  ['trial-', false],
  ['trial-B', false],
  ['trial-b-c', false],
  ['trials', false],
  ['Trial', false],
  ['prod-trial', false],
  ['prod', false],
  ['local', false],
])('only its name makes a stage a trial: %s', (stage, expected) => {
  expect(isTrial(stage)).toBe(expected);
});

test.each(['trial', 'trial-b'])('a program that knows no trials is told which commands do: %s', (stage) => {
  expect(() => loadStageConfig(stage)).toThrow(
    `The stage "${stage}" is a trial: only the CDK CLI knows its account and region. npx cdk deploy --context stage=${stage} deploys it, and npx cdk destroy --context stage=${stage} deletes it.`,
  );
});

describe('the configuration of a trial is rejected with a sentence that names file, entry and remedy', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'config-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const { account: _, region: __, ...completed } = loadTrialConfig('trial', placeOfTrial);
  const { page: ___, ticket: ____, ...monitoring } = completed.monitoring;
  const demo = { companyId: 'demo', name: 'Demo' };
  const content = { ...completed, monitoring, companies: [demo] };
  const refusal = (changed: object): string => {
    writeFileSync(join(directory, 'trial.json'), JSON.stringify({ ...content, ...changed }));
    try {
      loadTrialConfig('trial', placeOfTrial, directory);
      return 'accepted';
    } catch (error) {
      return (error as Error).message;
    }
  };

  test('except for a correct one', () => {
    expect(refusal({})).toBe('accepted');
  });

  test('and except for hosts of webhooks, which company sync registers without a deployment', () => {
    const webhookHosts = ['hooks.heating.eu'];
    expect(refusal({ companies: [{ ...demo, webhookHosts }] })).toBe('accepted');
    expect(loadTrialConfig('trial', placeOfTrial, directory).companies).toMatchObject([{ webhookHosts }]);
  });

  const ofOthers = 'is not possible in a trial; remove it, or copy config/example.json for a stage that stays.';
  const ofTheCli = 'is not possible in a trial; remove it: the CDK CLI takes it from your credentials.';
  const { domain, operators, neighbours, workflow, account, region } = loadStageConfig('example');
  test.each<[object, string]>([
    [{ domain }, `domain ${ofOthers}`],
    [{ operators }, `operators ${ofOthers}`],
    [{ neighbours }, `neighbours ${ofOthers}`],
    [{ workflow }, `workflow ${ofOthers}`],
    [{ account }, `account ${ofTheCli}`],
    [{ region }, `region ${ofTheCli}`],
    [{ simulatedHomes: undefined }, 'simulatedHomes is missing; add it.'],
    [{ companies: [] }, 'companies has not exactly one entry; list one company.'],
    [{ companies: [demo, { ...demo, companyId: 'other' }] }, 'companies has not exactly one entry; list one company.'],
    [
      { companies: [{ ...demo, allowedCidrs: ['93.184.216.34/32'] }] },
      'companies[0] has the unknown "allowedCidrs"; correct the spelling or remove it.',
    ],
    [
      { monitoring: { ...monitoring, page: ['jane@heating.eu'] } },
      'monitoring has the unknown "page"; correct the spelling or remove it.',
    ],
  ])('%j', (changed, sentence) => {
    expect(refusal(changed)).toBe(`config/trial.json: ${sentence}`);
  });

  test('that does not exist', () => {
    writeFileSync(join(directory, 'trial.json'), '{}');
    expect(() => loadTrialConfig('trial-b', placeOfTrial, directory)).toThrow(
      'There is no stage "trial-b". Known stages: trial. For a new stage, copy config/trial.json to config/trial-b.json.',
    );
  });
});

describe('a trial is called', () => {
  test.each([
    ['from one IPv4 address', '93.184.216.34', '93.184.216.34/32'],
    ['from one IPv6 address, however it is spelled', '2A02:2E0:0::5', '2a02:2e0::5/128'],
    ['from a block of IPv4', '93.184.216.0/28', '93.184.216.0/28'],
    ['from a block of IPv6, since computers change the second half of their address', '2a02:2e0::/64', '2a02:2e0::/64'],
  ])('%s', (_, address, block) => {
    expect(blocksOfTrial(address)).toEqual({ allowedCidrs: [block] });
  });

  const given = (address: string, what: string) => `The address of the trial is "${address}", which ${what}`;
  test.each<[string | undefined, string]>([
    [undefined, 'A trial admits one address, which is missing.'],
    ['', 'A trial admits one address, which is missing.'],
    ...['office', '93.184.216', '93.184.216.34 ', '::g'].map((text): [string, string] => [
      text,
      given(text, 'is no IP address.'),
    ]),
    ...[
      ...['10.0.0.5', '172.16.0.1', '192.168.1.2', '127.0.0.1', '169.254.1.1', '100.64.0.1', '0.0.0.0', '224.0.0.1'],
      ...['192.0.2.7', '255.255.255.255', '192.168.0.0/24', '::1', 'fe80::1', 'fd00::1', '2001:db8::1'],
      ...['::ffff:93.184.216.34', 'fd00::/64'],
    ].map((address): [string, string] => [address, given(address, 'is private or reserved.')]),
    ['0.0.0.0/0', given('0.0.0.0/0', 'is too wide for one company; write blocks of /16 or narrower.')],
    ['::/0', given('::/0', 'is too wide for one company; write blocks of /32 or narrower.')],
    ['93.184.216.34/28', given('93.184.216.34/28', 'has host bits set; write 93.184.216.32/28.')],
    [
      '93.184.216.34/33',
      given('93.184.216.34/33', 'has no valid prefix length; write a number up to 32 after the slash.'),
    ],
    ['93.184.216.34/', given('93.184.216.34/', 'has no valid prefix length; write a number up to 32 after the slash.')],
  ])('by nobody, and the fault names the command that finds the address: %s', (address, fault) => {
    expect(blocksOfTrial(address)).toEqual({
      allowedCidrs: [],
      fault: `${fault} To admit the address of this machine, add: --context address="$(curl -s https://checkip.amazonaws.com)"`,
    });
  });
});
