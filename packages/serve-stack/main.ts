#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { UserFacingError } from './src/errors.ts';

const usage = `Usage: serve-stack <cdk.out> [--port 8443] [--directory .local] [--keep-data]

Serves the synthesized stack of a cloud assembly on this machine until Ctrl-C.
  --port       the port of the API, 0 for any free one
  --directory  gets logs, the certificate to trust and, with --keep-data, the tables
`;

const readOptions = () => {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        port: { type: 'string', default: '8443' },
        directory: { type: 'string', default: '.local' },
        'keep-data': { type: 'boolean', default: false },
      },
    });
    const [assembly, ...others] = positionals;
    if (assembly === undefined || others.length > 0) throw new Error('Name one cloud assembly.');
    if (!/^\d{1,5}$/.test(values.port)) throw new Error(`${values.port} is no port.`);
    const { directory, 'keep-data': keepData } = values;
    return { assembly, directory, keepData, port: Number(values.port) };
  } catch (error) {
    throw new UserFacingError(`${(error as Error).message}\n\n${usage}`);
  }
};

try {
  const options = readOptions();
  if (!existsSync(join(options.assembly, 'manifest.json')))
    throw new UserFacingError(
      `${options.assembly} is no cloud assembly: it has no manifest.json. Run npx cdk synth first.`,
    );
  // Loaded only here, so that a mistyped option is reported at once.
  const { serveStack } = await import('./index.ts');
  const served = await serveStack({ ...options, print: console.log, announce: console.log });
  console.log(`${served.baseUrl}\nTry: curl --cacert ${served.caFile} ${served.baseUrl}/`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => served.close().then(() => process.exit()));
} catch (error) {
  console.error(error instanceof UserFacingError ? error.message : error);
  process.exitCode = 1;
}
