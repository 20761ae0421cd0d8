import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { fullConfig, resourcesOf, type Template, templateOf } from '../infra/synthesized.ts';

/** docs/take-away.md leaves nothing of a stage behind, and its commands run in an order in which AWS takes them. */
const page = readFileSync('docs/take-away.md', 'utf8');
const commands = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, lines = '']) => lines).join('\n');

/** Stands in for the AWS CLI: writes down what is asked of it, and answers for a stage in which one of each kind stays behind. */
const standIn = `#!/bin/sh
echo "$*" >> "$CALLS"
case "$*" in
  *Stacks\\[0\\].StackId*) echo arn:aws:cloudformation:eu-central-1:111122223333:stack/PartnerApi-trial/id;;
  *describe-stack-events*) cat "$STAYED";;
  *list-tables*) echo PartnerApi-trial-restored-ApiKeys-20261121T201500Z;;
  *list-attached-role-policies*) echo arn:aws:iam::aws:policy/logs;;
  *BucketName*) echo the-bucket;;
  *list-object-versions*) if [ -e "$EMPTIED" ]; then echo '{"Objects": []}'; else echo '{"Objects": [{"Key": "a", "VersionId": "1"}]}'; fi;;
  *delete-objects*) touch "$EMPTIED";;
esac
`;

/** The calls that all commands of the page make, in a stage in which these resources outlive their stack. */
const callsOf = (stayed: readonly (readonly [type: string, name: string])[]): string[] => {
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
      .map(([logicalId]) => [type, `PartnerApi-trial-${logicalId}`] as const),
  );
});

/** How the page takes away what is retained, by type. What is a setting of the account goes with nothing. */
const removals: Readonly<Record<string, string | undefined>> = {
  'AWS::DynamoDB::GlobalTable': 'dynamodb delete-table --table-name',
  'AWS::KMS::Key': 'kms schedule-key-deletion --key-id',
  'AWS::Logs::LogGroup': 'logs delete-log-group --log-group-name',
  'AWS::IAM::Role': 'iam delete-role --role-name',
  'AWS::ApiGateway::Account': undefined,
};

describe('docs/take-away.md', () => {
  test('takes away each resource that outlives its stack, and knows all types of these', () => {
    expect([...new Set(retained.map(([type]) => type))].toSorted()).toEqual(Object.keys(removals).toSorted());
    const calls = callsOf(retained);
    const missed = retained.filter(([type, name]) => {
      const removal = removals[type];
      return removal !== undefined && !calls.some((call) => call.startsWith(`${removal} ${name}`));
    });
    expect(missed).toEqual([]);
    expect(calls).toContain('dynamodb delete-table --table-name PartnerApi-trial-restored-ApiKeys-20261121T201500Z');
  });

  test('lifts the protection of each before it deletes it', () => {
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

  test('deletes the stage before its bootstrap, whose role deletes it, and that before the policies that its roles hold', () => {
    const ends = callsOf([]).filter((call) => /wait stack-delete-complete|delete-stack|delete-bucket/.test(call));
    expect(ends.map((call) => call.replace(/^\w+ (?:wait )?/, ''))).toEqual([
      'delete-stack --stack-name PartnerApi-trial',
      'stack-delete-complete --stack-name arn:aws:cloudformation:eu-central-1:111122223333:stack/PartnerApi-trial/id',
      'delete-stack --stack-name PartnerApiBootstrap-trial',
      'stack-delete-complete --stack-name PartnerApiBootstrap-trial',
      'delete-bucket --bucket the-bucket',
      'delete-stack --stack-name PartnerApiAccess-trial',
      'stack-delete-complete --stack-name PartnerApiAccess-trial',
    ]);
  });

  test('empties the bucket before it deletes it', () => {
    const calls = callsOf([]).filter((call) => call.startsWith('s3api'));
    expect(calls.map((call) => call.split(' ')[1])).toEqual([
      'list-object-versions',
      'delete-objects',
      'list-object-versions',
      'delete-bucket',
    ]);
  });
});
