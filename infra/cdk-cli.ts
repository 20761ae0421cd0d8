import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';

/**
 * Returns how to start the project's CDK CLI. The CLI and the app that it runs use this Node.js, whatever the PATH finds first.
 */
export const cdkCli = (options: readonly string[], root: string) => ({
  command: process.execPath,
  arguments: [
    join(dirname(createRequire(join(root, 'package.json')).resolve('aws-cdk/package.json')), 'bin/cdk'),
    ...options,
  ],
  environment: {
    ...process.env,
    CDK_DISABLE_CLI_TELEMETRY: '1',
    PATH: dirname(process.execPath) + delimiter + process.env.PATH,
  },
});
