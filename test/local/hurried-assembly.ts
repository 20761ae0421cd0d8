import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConsumerName } from '../../lambdas/api/background-functions.ts';
import { synthesizeIfStale } from '../../local/synthesis.ts';
import { temporaryDirectory } from './main-run.ts';

type Resource = { readonly Type: string; readonly Properties: Record<string, unknown> };

/**
 * The stack as it is synthesized, but messages that failed are received again after a second, so that a test sees them die;
 * and without what brings a consumer its messages, as after an operator has disabled the mapping.
 */
export const hurriedAssembly = async ({ withoutMappingOf }: { withoutMappingOf?: ConsumerName } = {}) => {
  const directory = join(temporaryDirectory(), 'cdk.out');
  cpSync(await synthesizeIfStale(), directory, { recursive: true });
  const [file = ''] = globSync(join(directory, '*.template.json'));
  const template = JSON.parse(readFileSync(file, 'utf8')) as { Resources: Record<string, Resource> };
  for (const [id, { Type, Properties }] of Object.entries(template.Resources)) {
    // A poke may take longer than a second, and no test lets its message die.
    if (Type === 'AWS::SQS::Queue' && !id.startsWith('SeamsQueuespokes')) Properties.VisibilityTimeout = 1;
    // Lambda refuses a function that may take longer than its messages are hidden.
    if (/^SeamsConsumerstake\w+Function/.test(id) && Type === 'AWS::Lambda::Function') Properties.Timeout = 1;
    if (withoutMappingOf && id.startsWith(`SeamsConsumers${withoutMappingOf}SourceMapping`)) Properties.Enabled = false;
  }
  writeFileSync(file, JSON.stringify(template));
  return directory;
};
