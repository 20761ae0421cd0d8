import type { StageConfig } from '../../config/schema.ts';
import { bootstrapOptions } from './bootstrap.ts';
import { executionPolicyArnsOf } from './rights.ts';
import { scopeOf } from './stack.ts';

/**
 * Returns the CDK CLI's arguments for each run, in order: the access stack comes first, since the bootstrap names its policies.
 * So the boundary of the stage's roles exists before any of these roles.
 */
export const accessCommands = (
  stage: string,
  config: StageConfig,
  { yes }: { readonly yes?: boolean | undefined },
): string[][] => {
  const scope = scopeOf(stage, config);
  return [
    [
      ...['deploy', '--app', 'node infra/access/app.ts', '--output', '.build/access', '--context', `stage=${stage}`],
      ...(yes ? ['--require-approval', 'never'] : []),
    ],
    bootstrapOptions(scope, executionPolicyArnsOf(scope)),
  ];
};
