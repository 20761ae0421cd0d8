import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { STSClient } from '@aws-sdk/client-sts';
import { vi } from 'vitest';
import type { Template } from '../../../infra/assembly.ts';

/** The answer of AWS to each command, by its name: an output, an error to throw, or what returns one of them. */
export type Answers = Readonly<Record<string, object | (() => object)>>;

/**
 * Makes deployments use a stub of the CDK CLI, which prints its command line, and stubbed answers of STS, CloudFormation and Lambda.
 * Returns the checkout to deploy from, and the calls so far: commands to AWS by name with their input, and command lines as
 * `cdk deploy …`. A command without an answer fails, as does a command line of the CDK CLI that contains `failing`.
 */
export const stubDeployment = (answers: Answers, failing?: string) => {
  const root = mkdtempSync(join(tmpdir(), 'checkout-'));
  const log = join(root, 'calls.txt');
  writeAll(root, {
    'calls.txt': '',
    'package.json': '{}',
    'node_modules/aws-cdk/package.json': '{}',
    'node_modules/aws-cdk/bin/cdk': `
      const line = process.argv.slice(2).join(' ');
      require('node:fs').appendFileSync(${JSON.stringify(log)}, \`cdk \${line}\\n\`);
      console.log(\`output of cdk \${line}\`);
      process.exitCode = line.includes(${JSON.stringify(failing ?? 'no command line contains this')}) ? 1 : 0;`,
  });
  const send = async ({
    constructor: { name },
    input,
  }: {
    readonly constructor: { readonly name: string };
    input: object;
  }) => {
    const command = name.replace(/Command$/, '');
    appendFileSync(log, `${command} ${JSON.stringify(input)}\n`);
    const given = answers[command];
    const answer = typeof given === 'function' ? given() : given;
    if (!answer) throw new Error(`There is no answer to ${command}.`);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  for (const { prototype } of [CloudFormationClient, LambdaClient, STSClient])
    vi.spyOn(prototype, 'send').mockImplementation(send as never);
  return { root, calls: () => readFileSync(log, 'utf8').trim().split('\n') };
};

/** Writes a cloud assembly with one stack and returns its folder. */
export const assemblyOf = (stackName: string, template: Template): string => {
  const folder = mkdtempSync(join(tmpdir(), 'assembly-'));
  const templateFile = `${stackName}.template.json`;
  const stackTemplateAssetObjectUrl = `s3://assets/${firstHash}.json`;
  const properties = { stackName, templateFile, stackTemplateAssetObjectUrl };
  writeAll(folder, {
    [templateFile]: JSON.stringify(template),
    [`${stackName}.assets.json`]: JSON.stringify({ files: { [firstHash]: { source: { path: templateFile } } } }),
    'manifest.json': JSON.stringify({ artifacts: { [stackName]: { type: 'aws:cloudformation:stack', properties } } }),
  });
  return folder;
};

/** The hash under which the template of `assemblyOf` is uploaded. */
export const firstHash = '0'.repeat(64);

const writeAll = (folder: string, files: Readonly<Record<string, string>>): void => {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
};
