import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { fullConfig, resourcesOf, type Template, templateOf } from '../infra/synthesized.ts';

/** docs/take-away.md removes everything of a stage, with commands in an order that AWS accepts. */
const page = readFileSync('docs/take-away.md', 'utf8');
const commands = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, lines = '']) => lines).join('\n');

/** Replaces the AWS CLI: records the calls, and answers for a stage in which one resource of each kind remains. */
const standIn = `#!/bin/sh
echo "$*" >> "$CALLS"
case "$*" in
  *Stacks\\[0\\].StackId*) echo arn:aws:cloudformation:eu-central-1:111122223333:stack/PartnerApi-beta/id;;
  *describe-stack-events*) cat "$STAYED";;
  *list-tables*) echo PartnerApi-beta-restored-ApiKeys-20261121T201500Z;;
  *list-attached-role-policies*) echo arn:aws:iam::aws:policy/logs;;
  *BucketName*) echo "$BUCKET";;
  *list-object-versions*) if [ -e "$EMPTIED" ]; then echo '{"Objects": []}'; else echo '{"Objects": [{"Key": "a", "VersionId": "1"}]}'; fi;;
  *delete-objects*) touch "$EMPTIED";;
esac
`;

/** Returns the calls of all commands of the page, for a stage in which these resources outlive their stack. */
const callsOf = (stayed: readonly (readonly [type: string, name: string])[], bucket = 'the-bucket'): string[] => {
  const folder = mkdtempSync(join(tmpdir(), 'take-away-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [calls, events, program] = ['calls.txt', 'stayed.txt', 'aws'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(program, standIn);
  chmodSync(program, 0o755);
  writeFileSync(events, stayed.map((each) => `${each.join('\t')}\n`).join(''));
  writeFileSync(calls, '');
  execFileSync('bash', ['-eu', '-c', commands], {
    cwd: folder,
    stdio: 'pipe',
    env: {
      PATH: folder + delimiter + process.env.PATH,
      CALLS: calls,
      STAYED: events,
      BUCKET: bucket,
      EMPTIED: join(folder, 'emptied'),
    },
    timeout: 60_000,
  });
  return readFileSync(calls, 'utf8').trim().split('\n');
};

let retained: (readonly [string, string])[];
beforeAll(async () => {
  const template: Template = await templateOf(fullConfig);
  const types = new Set(Object.values(template.Resources).map(({ Type }) => Type));
  retained = [...types].flatMap((type) =>
    resourcesOf(template, type)
      .filter(([, { DeletionPolicy }]) => DeletionPolicy?.startsWith('Retain'))
      .map(([logicalId]) => [type, `PartnerApi-beta-${logicalId}`] as const),
  );
});

/** The commands that delete retained resources, by type. A setting of the account is not deleted. */
const removals: Readonly<Record<string, string | undefined>> = {
  'AWS::DynamoDB::GlobalTable': 'dynamodb delete-table --table-name',
  'AWS::KMS::Key': 'kms schedule-key-deletion --key-id',
  'AWS::Logs::LogGroup': 'logs delete-log-group --log-group-name',
  'AWS::IAM::Role': 'iam delete-role --role-name',
  'AWS::ApiGateway::Account': undefined,
};

describe('docs/take-away.md', () => {
  test('deletes each resource that outlives its stack, of all such types', () => {
    expect([...new Set(retained.map(([type]) => type))].toSorted()).toEqual(Object.keys(removals).toSorted());
    const calls = callsOf(retained);
    const missed = retained.filter(([type, name]) => {
      const removal = removals[type];
      return removal !== undefined && !calls.some((call) => call.startsWith(`${removal} ${name}`));
    });
    expect(missed).toEqual([]);
    expect(calls).toContain('dynamodb delete-table --table-name PartnerApi-beta-restored-ApiKeys-20261121T201500Z');
  });

  test('removes the protection of each resource before it deletes the resource', () => {
    const calls = callsOf([['AWS::DynamoDB::GlobalTable', 'a-table']]);
    const protectedOnes = calls.filter((call) => /^(cloudformation delete-stack|dynamodb delete-table)/.test(call));
    expect(protectedOnes).toHaveLength(5);
    for (const call of protectedOnes) {
      const name = call.split(' ').at(-1);
      const lifted = calls.findIndex((each) => new RegExp(`-name ${name} --no-.*protection`).test(each));
      expect(lifted, call).toBeGreaterThanOrEqual(0);
      expect(lifted, call).toBeLessThan(calls.indexOf(call));
    }
  });

  test('deletes the stage before its bootstrap, and the bootstrap before its policies', () => {
    const ends = callsOf([]).filter((call) => /wait stack-delete-complete|delete-stack|delete-bucket/.test(call));
    expect(ends.map((call) => call.replace(/^\w+ (?:wait )?/, ''))).toEqual([
      'delete-stack --stack-name PartnerApi-beta',
      'stack-delete-complete --stack-name arn:aws:cloudformation:eu-central-1:111122223333:stack/PartnerApi-beta/id',
      'delete-stack --stack-name PartnerApiBootstrap-beta',
      'stack-delete-complete --stack-name PartnerApiBootstrap-beta',
      'delete-bucket --bucket the-bucket',
      'delete-stack --stack-name PartnerApiAccess-beta',
      'stack-delete-complete --stack-name PartnerApiAccess-beta',
    ]);
  });

  test('leaves the bootstrap alone if it has no bucket, or does not exist', () => {
    expect(callsOf([], '').filter((call) => /^s3api|delete.*Bootstrap/.test(call))).toEqual([]);
  });

  test('empties the bucket before it deletes the bucket', () => {
    const calls = callsOf([]).filter((call) => call.startsWith('s3api'));
    expect(calls.map((call) => call.split(' ')[1])).toEqual([
      'list-object-versions',
      'delete-objects',
      'list-object-versions',
      'delete-bucket',
    ]);
  });
});
