import { expect, test } from 'vitest';
import { createDeployProgram, type DeployOptions } from '../../../infra/deploy/program.ts';

const optionsOf = async (commandLine: string): Promise<DeployOptions | undefined> => {
  let given: DeployOptions | undefined;
  const program = createDeployProgram(async (options) => {
    given = options;
  });
  await program.parseAsync(commandLine.split(' '), { from: 'user' });
  return given;
};

test.each([
  ['--stage prod', { stage: 'prod', atOnce: false }],
  ['--stage prod --at-once', { stage: 'prod', atOnce: true }],
  ['--stage prod --code 3f9a2c1', { stage: 'prod', code: '3f9a2c1', atOnce: true }],
] as const)('requests move gradually, but for a roll-back and on demand: %s', async (commandLine, options) => {
  expect(await optionsOf(commandLine)).toEqual(options);
});
