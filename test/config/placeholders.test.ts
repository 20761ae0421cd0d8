import { describe, expect, test } from 'vitest';
import { loadStageConfig } from '../../config/load.ts';
import { refusePlaceholders } from '../../config/placeholders.ts';
import type { Company, StageConfig } from '../../config/schema.ts';

const example = loadStageConfig('example');
const [company] = example.companies as [Company];

/** A stage as an operator would have it. */
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
  workflow: { repository: 'heating/partner-api', reuseIdentityProvider: false },
  companies: [{ ...company, allowedCidrs: ['93.184.216.0/28', '2a02:2e0::/48'], webhookHosts: ['hooks.heating.eu'] }],
};

test('a stage without a placeholder is deployed', () => {
  expect(() => refusePlaceholders('prod', real)).not.toThrow();
});

test.each(['example', 'local'])('the stage %s may hold placeholders: it is never deployed', (stage) => {
  expect(() => refusePlaceholders(stage, example)).not.toThrow();
});

describe('a placeholder that was left is named', () => {
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
      { workflow: { repository: 'example-owner/partner-api', reuseIdentityProvider: false } },
    ],
    ['companies[0].allowedCidrs[2] is still the placeholder "2001:db8:1::/48".', { companies: [company] }],
  ])('%s', (sentence, left) => {
    expect(() => refusePlaceholders('prod', { ...real, ...left })).toThrow(sentence);
  });
});
