import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RegionInfo } from 'aws-cdk-lib/region-info';
import { describe, expect, test } from 'vitest';
import { check, loadStageConfig, maxStageCharacters } from '../../config/load.ts';
import { stackNameOf, stageConfig } from '../../config/schema.ts';
import { regions } from '../../config/values.ts';
import { consumerNames, jobNames } from '../../lambdas/api/background-functions.ts';
import { operationIds } from '../../lambdas/api/endpoints/endpoints.ts';

/**
 * Values that AWS would refuse much later, or that would end in a stack trace of the CDK. Each is a sentence at synth that says
 * what is wrong and what to write.
 */
const example = loadStageConfig('example');

/** Returns the example with another value at a place such as `monitoring.page`. */
const withValue = (place: string, value: unknown): unknown => {
  const config = structuredClone(example) as object;
  const names = place.split('.');
  const last = names.pop() as string;
  Reflect.set(
    names.reduce<object>((part, name) => Reflect.get(part, name) as object, config),
    last,
    value,
  );
  return config;
};

const faultsOf = (place: string, value: unknown): string[] => check(stageConfig, withValue(place, value)).faults;

const noRegion = 'region is not an AWS region; write a region such as eu-central-1.';
const otherPartition =
  'region is in a partition that this service does not support, such as China or GovCloud; write a region such as eu-central-1.';
const noHost =
  'domain.name is not a valid host name; write one in lower case without a dot at the end, like api.example.com';
const noCertificate =
  'domain.certificateArn is not the ARN of a certificate; write the ARN of a certificate in AWS Certificate Manager.';
const noNeighbour =
  'neighbours.portalPrincipals[0] is not a valid principal; write the ARN of an IAM role or user, or of an account: arn:aws:iam::<account>:root';
const noPrincipal =
  'operators.readerPrincipals[0] is not a valid principal; write the ARN of an IAM role or user, or of a permission set: arn:aws:iam::<account>:role/aws-reserved/sso.amazonaws.com/<region>/AWSReservedSSO_<name>_*';
const noEndpoint =
  'monitoring.ticket[0] is not a valid endpoint; write an e-mail address or a URL that begins with https://';
const aboveQuota = (entry: string, most: number) =>
  `throttle.${entry} is above ${most}, the quota of an account; write a lower number, or if AWS has raised the quota, raise accountThrottle in config/schema.ts.`;
const notCanonical = (place: string, text: string, canonical: string) =>
  `${place} is "${text}", which is not in canonical form; write ${canonical}`;
const onCall = 'https://pager.example.com/a';

test.each<[place: string, value: unknown, sentence: string]>([
  ['region', 'eu-centrel-1', noRegion],
  ['region', 'eu-central-9', noRegion],
  ['region', 'eu-central-1a', noRegion],
  ['region', 'EU-CENTRAL-1', noRegion],
  ['region', 'cn-north-1', otherPartition],
  ['region', 'us-gov-west-1', otherPartition],
  ['region', 'us-iso-east-1', otherPartition],
  ['region', 'eusc-de-east-1', otherPartition],
  ['throttle', { requestsPerSecond: 50_000, burst: 400 }, aboveQuota('requestsPerSecond', 10_000)],
  ['throttle', { requestsPerSecond: 200, burst: 5001 }, aboveQuota('burst', 5000)],
  [
    'addressLimit',
    { requestsPerMinute: 2_000_000_001 },
    'addressLimit.requestsPerMinute is above 2,000,000,000, the maximum of AWS WAF; write a lower number.',
  ],
  ['domain.name', 'api.example.com.', noHost],
  ['domain.name', 'API.example.com', noHost],
  ['domain.name', 'localhost', noHost],
  ['domain.name', '192.0.2.1', noHost],
  ['domain.name', '*.example.com', noHost],
  ['domain.name', 'api.example.com:443', noHost],
  ['domain.name', 'bücher.example', noHost],
  ['domain.certificateArn', 'arn:aws-cn:acm:eu-central-1:111122223333:certificate/0-0', noCertificate],
  ['neighbours.portalPrincipals', ['arn:aws-cn:iam::444455556666:role/x'], noNeighbour],
  ['neighbours.portalPrincipals', ['arn:aws-us-gov:iam::444455556666:root'], noNeighbour],
  ['neighbours.portalPrincipals', ['arn:aws:iam::444455556666:role/x/'], noNeighbour],
  ['neighbours.portalPrincipals', ['arn:aws:iam::444455556666:role//x'], noNeighbour],
  ['operators.readerPrincipals', ['arn:aws-us-gov:iam::444455556666:role/x'], noPrincipal],
  ['operators.readerPrincipals', ['arn:aws:iam::444455556666:user/path/'], noPrincipal],
  ['monitoring.page', [onCall, onCall], `monitoring.page[1] repeats "${onCall}"; keep one.`],
  ['monitoring.ticket', ['a@b.de', 'c@b.de', 'a@b.de'], 'monitoring.ticket[2] repeats "a@b.de"; keep one.'],
  ['monitoring.ticket', ['mailto:a@b.de'], noEndpoint],
  ['monitoring.ticket', ['a@localhost'], noEndpoint],
  ['monitoring.ticket', ['a@b.de,c@b.de'], noEndpoint],
  ['monitoring.ticket', ['+49 30 123456'], noEndpoint],
  ['monitoring.ticket', ['http://pager.example.com/a'], noEndpoint],
  [
    'monitoring.ticket',
    ['https://pager.example.com/a b'],
    notCanonical('monitoring.ticket[0]', 'https://pager.example.com/a b', 'https://pager.example.com/a%20b'),
  ],
  [
    'monitoring.ticket',
    ['https://'],
    'monitoring.ticket[0] is not a secure URL; write a URL that begins with https://',
  ],
  ...[
    ['https:portal.example.com', 'https://portal.example.com/'],
    ['HTTPS://portal.example.com/', 'https://portal.example.com/'],
    ['https://portal.example.com/consent ', 'https://portal.example.com/consent'],
    ['https://portal.example.com\n', 'https://portal.example.com/'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
  ].map(([text = '', canonical = '']): [string, string, string] => [
    'consent.portalUrl',
    text,
    notCanonical('consent.portalUrl', text, canonical),
  ]),
  [
    'consent.portalUrl',
    `https://portal.example.com/${'x'.repeat(2048)}`,
    'consent.portalUrl is longer than 2048 characters; write a shorter one.',
  ],
  [
    'monitoring.runbooksUrl',
    'https://git.example.com/runbooks/',
    'monitoring.runbooksUrl ends with "/"; write the URL without it, since alarms append "/" and the name of their page.',
  ],
  [
    'monitoring.runbooksUrl',
    'https://git.example.com/runbooks?ref=main',
    'monitoring.runbooksUrl has a query or a fragment; write the URL of the folder, to which alarms append a page.',
  ],
  [
    'monitoring.runbooksUrl',
    `https://git.example.com/${'x'.repeat(255)}`,
    'monitoring.runbooksUrl is longer than 255 characters; write a shorter one.',
  ],
  [
    'monitoring.canaryCompanyId',
    'Acme GmbH',
    'monitoring.canaryCompanyId is not a valid company id; write 2 to 24 of the characters a-z 0-9',
  ],
])('%s: %j is refused', (place, value, sentence) => {
  expect(faultsOf(place, value)).toEqual([sentence]);
});

test.each<[place: string, value: unknown]>([
  ['throttle', { requestsPerSecond: 10_000, burst: 5000 }],
  ['addressLimit', { requestsPerMinute: 2_000_000_000 }],
  ['domain.name', 'xn--bcher-kva.example'],
  ['neighbours.portalPrincipals', ['arn:aws:iam::444455556666:root', 'arn:aws:iam::444455556666:role/of/portal']],
  ['monitoring.page', []],
  ['monitoring.ticket', ['on-call+api@team.example.com', 'https://user:secret@pager.example.com:8443/a?b=c#d']],
  ['monitoring.runbooksUrl', 'https://runbooks.example.com'],
  ['consent.portalUrl', 'https://portal.example.com/consent?from=api#top'],
])('%s: %j is accepted', (place, value) => {
  expect(faultsOf(place, value)).toEqual([]);
});

test('each region of the commercial partition that the CDK knows is accepted, and no other', () => {
  const { regions: known } = RegionInfo;
  expect(known.flatMap(({ name, partition }) => (partition === 'aws' ? [name] : [])).toSorted()).toEqual(
    regions.toSorted(),
  );
});

describe('the name of a stage', () => {
  const load = (stage: string): string => {
    const directory = mkdtempSync(join(tmpdir(), 'config-'));
    try {
      writeFileSync(join(directory, `${stage}.json`), JSON.stringify(example));
      loadStageConfig(stage, directory);
      return 'accepted';
    } catch (error) {
      return (error as Error).message;
    } finally {
      rmSync(directory, { recursive: true });
    }
  };

  test.each([
    'my_stage',
    'prod.eu',
    'prod eu',
    'Prod',
    'prod-eu',
    '-prod',
    'größe',
    'x'.repeat(maxStageCharacters + 1),
  ])('%s is refused', (stage) => {
    expect(load(stage)).toBe(
      `config/${stage}.json has a name that no stage can have: it is part of the names of all resources. Rename the file to 1 to 28 of the characters a-z 0-9, followed by .json.`,
    );
  });

  test.each(['prod', 'p', '1', 'x'.repeat(maxStageCharacters)])('%s is accepted', (stage) => {
    expect(load(stage)).toBe('accepted');
  });

  test('may be as long as Lambda allows for the longest name of a function', () => {
    const names = [...operationIds, ...jobNames, ...consumerNames, 'simulateHomes'];
    const longest = Math.max(...names.map((name) => `${stackNameOf('')}-${name}`.length));
    expect(maxStageCharacters).toBe(64 - longest);
  });
});
