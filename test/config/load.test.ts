import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Company } from '../../config/company.ts';
import { knownEntries, loadStageConfig, refusePlaceholders } from '../../config/load.ts';
import { type StageConfig, stageConfig } from '../../config/schema.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'config-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const example = loadStageConfig('example');
const [acme] = example.companies as [Company];
const sandbox = { ...example, neighbours: undefined };
type Workflow = NonNullable<StageConfig['workflow']>;
const onCall = 'arn:aws:iam::111122223333:role/on-call';

test.each(['local', 'example'])('the stage %s is complete', (stage) => {
  expect(loadStageConfig(stage).companies.length).toBeGreaterThan(1);
});

test('the local stage is the demo world: four companies on two loopback addresses, none on 127.0.0.3', () => {
  expect(loadStageConfig('local').companies.map(({ companyId, allowedCidrs }) => [companyId, allowedCidrs])).toEqual([
    ['acme', ['127.0.0.1/32']],
    ['globex', ['127.0.0.2/32']],
    ['initech', ['127.0.0.1/32']],
    ['fleet', ['127.0.0.1/32']],
  ]);
});

describe('a stage is rejected with a sentence that names file, entry and remedy', () => {
  const refusal = (content: unknown): string => {
    writeFileSync(join(directory, 'prod.json'), typeof content === 'string' ? content : JSON.stringify(content));
    try {
      loadStageConfig('prod', directory);
      return 'accepted';
    } catch (error) {
      return (error as Error).message;
    }
  };
  const withAcme = (change: object): object => ({ ...example, companies: [{ ...acme, ...change }] });

  test('that does not exist', () => {
    writeFileSync(join(directory, 'beta.json'), '{}');
    writeFileSync(join(directory, 'alpha.json'), '{}');
    expect(() => loadStageConfig('prod', directory)).toThrow(
      'There is no stage "prod". Known stages: alpha, beta. For a new stage, copy config/example.json to config/prod.json.',
    );
  });

  test('that is not JSON', () => {
    expect(refusal('{ "consent": ')).toMatch(/^config\/prod\.json is not JSON: .+\. Correct the file\.$/);
  });

  test.each<[string, object, string]>([
    ['an entry that is missing', { ...example, throttle: undefined }, 'throttle is missing; add it.'],
    [
      'gateways without an owner',
      withAcme({ userId: undefined }),
      'companies[0].gatewayIds lists gateways without an owner; write the userId of the owner, or leave this entry out.',
    ],
    [
      'a nested entry that is missing',
      { ...example, consent: { requiredVersion: 3 } },
      'consent.portalUrl is missing; add it.',
    ],
    [
      'an entry that is unknown',
      { ...example, logRetention: 30 },
      'has the unknown "logRetention"; correct the spelling or remove it.',
    ],
    [
      'unknown entries of a company',
      withAcme({ secret: 'x', token: 'y' }),
      'companies[0] has the unknown "secret", "token"; correct the spelling or remove it.',
    ],
    ['an account that is none', { ...example, account: '42' }, 'account is not an AWS account; write its 12 digits.'],
    [
      'a region that is none',
      { ...example, region: 'Frankfurt' },
      'region is not an AWS region; write a region such as eu-central-1.',
    ],
    [
      'a certificate of another region',
      { ...example, region: 'eu-west-1' },
      'domain.certificateArn is a certificate of account 111122223333 in eu-central-1; API Gateway needs one of account 111122223333 in eu-west-1.',
    ],
    [
      'an entry of the wrong type',
      withAcme({ name: 7 }),
      'companies[0].name has the wrong type; write a value of type string.',
    ],
    [
      'a fraction of a version',
      { ...example, consent: { ...example.consent, requiredVersion: 2.5 } },
      'consent.requiredVersion is not a whole number above 0; write one.',
    ],
    [
      'a newest version that is older than the required one',
      { ...example, consent: { ...example.consent, newestVersion: 2 } },
      'consent.newestVersion is below the required version, which is 3; write a newer one, or leave this entry out.',
    ],
    [
      'a rate of zero',
      { ...example, throttle: { requestsPerSecond: 0, burst: 1 } },
      'throttle.requestsPerSecond is not a whole number above 0; write one.',
    ],
    [
      'a retention that CloudWatch Logs does not offer',
      { ...example, logRetentionDays: 31 },
      'logRetentionDays is not a retention period of CloudWatch Logs; write one of 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, ' +
        '180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653.',
    ],
    [
      'a portal without TLS',
      { ...example, consent: { requiredVersion: 3, portalUrl: 'http://portal.example.com' } },
      'consent.portalUrl is not a secure URL; write a URL that begins with https://',
    ],
    [
      'a domain that is a URL',
      { ...example, domain: { ...example.domain, name: 'https://api.example.com' } },
      'domain.name is not a valid host name; write one in lower case without a dot at the end, like api.example.com',
    ],
    [
      'a certificate that is none',
      { ...example, domain: { ...example.domain, certificateArn: 'arn:aws:iam::111122223333:role/x' } },
      'domain.certificateArn is not the ARN of a certificate; write the ARN of a certificate in AWS Certificate Manager.',
    ],
    [
      'no simulated home',
      { ...sandbox, simulatedHomes: 0 },
      'simulatedHomes is below 1; write a number of homes, or leave this entry out.',
    ],
    [
      'too many simulated homes',
      { ...sandbox, simulatedHomes: 11 },
      'simulatedHomes is above 10; write a lower number of homes.',
    ],
    ['a part of a home', { ...sandbox, simulatedHomes: 1.5 }, 'simulatedHomes is not a whole number; write one.'],
    [
      'simulated homes beside real systems',
      { ...example, simulatedHomes: 2 },
      'simulatedHomes simulates the portal and the gateway backend, but "neighbours" gives the real ones access; remove one of the two entries.',
    ],
    [
      'a role that nobody may assume',
      { ...example, operators: { ...example.operators, operatorPrincipals: [] } },
      'operators.operatorPrincipals is empty; add at least one entry.',
    ],
    [
      'a repository without its owner',
      { ...example, workflow: { ...example.workflow, repository: 'partner-api' } },
      'workflow.repository is not a GitHub repository; write its owner and name: <owner>/<name>. Their ids are ownerId and repositoryId.',
    ],
    [
      'a repository with the ids in its name',
      { ...example, workflow: { ...example.workflow, repository: 'maker@1234/partner-api@5678' } },
      'workflow.repository is not a GitHub repository; write its owner and name: <owner>/<name>. Their ids are ownerId and repositoryId.',
    ],
    [
      'an owner without an id',
      { ...example, workflow: { ...example.workflow, ownerId: undefined } },
      'workflow.ownerId is missing; write the number that this prints: gh api repos/<owner>/<name> --jq .owner.id',
    ],
    ...['5678', 0, 56.78].map((repositoryId): [string, object, string] => [
      `a repository whose id is ${JSON.stringify(repositoryId)}`,
      { ...example, workflow: { ...example.workflow, repositoryId } },
      'workflow.repositoryId is not a GitHub id; write the number that this prints: gh api repos/<owner>/<name> --jq .id',
    ]),
    [
      'one role of operators without the other',
      { ...example, operators: { readerPrincipals: [onCall] } },
      'operators.operatorPrincipals is missing; add it.',
    ],
    ...[
      'jane',
      '*',
      'arn:aws:iam::111122223333:root',
      'arn:aws:iam::111122223333:role/*',
      'arn:aws:iam::*:role/on-call',
      'arn:aws:sts::111122223333:assumed-role/on-call/jane',
    ].map((principal): [string, object, string] => [
      `a principal that is ${principal}`,
      { ...example, operators: { ...example.operators, readerPrincipals: [onCall, principal] } },
      'operators.readerPrincipals[1] is not a valid principal; write the ARN of an IAM role or user, or of a permission set: arn:aws:iam::<account>:role/aws-reserved/sso.amazonaws.com/<region>/AWSReservedSSO_<name>_*',
    ]),
    ['neither companies nor the store', { ...example, companies: undefined }, 'companies is missing; add it.'],
    [
      'companies, and the store',
      { ...example, registrations: 'store', allowlist: 'waf' },
      'companies is not empty, but "registrations" keeps the companies in the store; leave out "companies", or remove "registrations".',
    ],
    [
      'the store, and a resource policy',
      { ...example, registrations: 'store', companies: undefined, allowlist: 'prepare-waf' },
      'registrations requires the allowlist "waf": the resource policy contains only addresses of this file.',
    ],
    ['no company', { ...example, companies: [] }, 'companies is empty; add at least one entry.'],
    [
      'a company without address',
      withAcme({ allowedCidrs: [] }),
      'companies[0].allowedCidrs is empty; add at least one entry.',
    ],
    [
      'a company id in capitals',
      withAcme({ companyId: 'Acme' }),
      'companies[0].companyId is not a valid company id; write 2 to 24 of the characters a-z 0-9',
    ],
    [
      'a gateway id with a space',
      withAcme({ gatewayIds: ['gw 1'] }),
      'companies[0].gatewayIds[0] is not a valid id; write 1 to 64 of the characters A-Z a-z 0-9 . _ -',
    ],
    [
      'a canary that is no company',
      { ...example, monitoring: { ...example.monitoring, canaryCompanyId: 'nobody' } },
      'monitoring.canaryCompanyId is "nobody", which is not in companies; add it there, or leave this entry out.',
    ],
    ['a company twice', { ...example, companies: [acme, acme] }, 'companies[1] repeats "acme"; keep one.'],
    [
      'a gateway twice',
      withAcme({ gatewayIds: ['gw-1', 'gw-2', 'gw-1'] }),
      'companies[0].gatewayIds[2] repeats "gw-1"; keep one.',
    ],
    ...[
      'https://hooks.acme.test',
      'Hooks.acme.test',
      'hooks.acme.test.',
      'hooks.acme.test:443',
      '*.acme.test',
      'localhost',
      '192.0.2.1',
      '0x7f.1',
      'bücher.test',
    ].map((host): [string, object, string] => [
      `a webhook host that is ${host}`,
      withAcme({ webhookHosts: [host] }),
      'companies[0].webhookHosts[0] is not a valid host name; write one in lower case, like hooks.example.com, without scheme and port.',
    ]),
    [
      'an empty list of webhook hosts',
      withAcme({ webhookHosts: [] }),
      'companies[0].webhookHosts is empty; add at least one entry.',
    ],
    [
      'too many webhook hosts',
      withAcme({ webhookHosts: Array.from({ length: 21 }, (_, index) => `h${index}.acme.test`) }),
      'companies[0].webhookHosts has more than 20 entries; remove some.',
    ],
    [
      'a block twice',
      withAcme({ allowedCidrs: ['192.0.2.0/28', '192.0.2.0/28'] }),
      'companies[0].allowedCidrs[1] repeats "192.0.2.0/28"; keep one.',
    ],
    [
      'a block with host bits',
      withAcme({ allowedCidrs: ['192.0.2.0/28', '192.0.2.17/28'] }),
      'companies[0].allowedCidrs[1] is "192.0.2.17/28", which has host bits set; write 192.0.2.16/28.',
    ],
  ])('%s', (_, content, sentence) => {
    expect(refusal(content)).toBe(`config/prod.json: ${sentence}`);
  });

  test('each fault has its own line', () => {
    const faulty = { ...example, throttle: undefined, companies: [] } as unknown as StageConfig;
    expect(refusal(faulty).split('\n')).toEqual([
      'config/prod.json: throttle is missing; add it.',
      'config/prod.json: companies is empty; add at least one entry.',
    ]);
  });
});

describe('placeholders', () => {
  const example = loadStageConfig('example');
  const [company] = example.companies as [Company];

  /** A stage as an operator would write it. */
  const real: StageConfig = {
    ...example,
    account: '210987654321',
    consent: { ...example.consent, portalUrl: 'https://portal.heating.eu/consent' },
    monitoring: { ...example.monitoring, runbooksUrl: 'https://git.heating.eu/runbooks', page: [], ticket: [] },
    domain: {
      name: 'api.heating.eu',
      certificateArn: 'arn:aws:acm:eu-central-1:210987654321:certificate/5f3a2b1c-0d9e-4f8a-b7c6-112233445566',
      disableDefaultEndpoint: true,
    },
    operators: {
      readerPrincipals: ['arn:aws:iam::210987654321:role/on-call'],
      operatorPrincipals: ['arn:aws:iam::210987654321:user/jane'],
    },
    workflow: { repository: 'heating/partner-api', ownerId: 1234, repositoryId: 5678, reuseIdentityProvider: false },
    companies: [{ ...company, allowedCidrs: ['93.184.216.0/28', '2a02:2e0::/48'], webhookHosts: ['hooks.heating.eu'] }],
  };

  test('a stage without a placeholder is deployed', () => {
    expect(() => refusePlaceholders('prod', real)).not.toThrow();
  });

  test.each(['example', 'local'])('the stage %s may contain placeholders: it is never deployed', (stage) => {
    expect(() => refusePlaceholders(stage, example)).not.toThrow();
  });

  describe('a remaining placeholder is named', () => {
    test.each<[string, Partial<StageConfig>]>([
      ['account is still the placeholder "111122223333".', { account: example.account }],
      [
        'monitoring.page[0] is still the placeholder',
        { monitoring: { ...real.monitoring, page: example.monitoring.page } },
      ],
      [
        'domain.certificateArn is still the placeholder',
        {
          domain: {
            name: 'api.heating.eu',
            certificateArn: `${example.domain?.certificateArn}`,
            disableDefaultEndpoint: true,
          },
        },
      ],
      [
        'workflow.repository is still the placeholder "example-owner/partner-api".',
        { workflow: { ...(real.workflow as Workflow), repository: 'example-owner/partner-api' } },
      ],
      [
        'workflow.ownerId is still the placeholder "111122223333".',
        { workflow: { ...(real.workflow as Workflow), ownerId: (example.workflow as Workflow).ownerId } },
      ],
      ['companies[0].allowedCidrs[2] is still the placeholder "2001:db8:1::/48".', { companies: [company] }],
    ])('%s', (sentence, left) => {
      expect(() => refusePlaceholders('prod', { ...real, ...left })).toThrow(sentence);
    });
  });
});

test('unknown entries are removed at any depth and named; other faults remain', () => {
  const config = JSON.parse(readFileSync('config/local.json', 'utf8'));
  expect(knownEntries(config, stageConfig)).toEqual({ known: config, dropped: [] });
  const { companies, consent } = config;
  const newer = {
    ...config,
    addressList: 'waf',
    region: 'nowhere',
    consent: { ...consent, language: 'de' },
    companies: companies.map((company: object) => ({ ...company, tier: 'gold' })),
  };
  const { known, dropped } = knownEntries(newer, stageConfig);
  expect(known).toEqual({ ...config, region: 'nowhere' });
  const ofCompanies = companies.map((_: object, index: number) => `companies[${index}].tier`);
  expect(dropped.toSorted()).toEqual(['addressList', 'consent.language', ...ofCompanies].toSorted());
});
