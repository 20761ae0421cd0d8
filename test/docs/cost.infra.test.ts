import { expect, test } from 'vitest';
import { loadStageConfig } from '../../config/load.ts';
import { assumptions } from '../../docs/generate/facts/cost.ts';
import { operationIds } from '../../lambdas/api/endpoints/endpoints.ts';
import { resourcesOf, stackName, synthesize } from '../infra/synthesized.ts';

test('the README prices functions with the memory and the processor that they have', async () => {
  const template = await synthesize(loadStageConfig('example'));
  const functions = resourcesOf(template, 'AWS::Lambda::Function')
    .map(([, { Properties }]) => Properties)
    .filter(({ FunctionName }) => operationIds.some((id) => FunctionName === `${stackName}-${id}`));
  expect(functions).toHaveLength(operationIds.length);
  for (const { MemorySize, Architectures } of functions)
    expect([MemorySize, Architectures]).toEqual([assumptions.functionMegabytes, ['arm64']]);
});
