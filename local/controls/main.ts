import { resolve } from 'node:path';
import { inspect } from 'node:util';
import { UserFacingError } from 'serve-stack';
import { print } from '../../operator/cli/output.ts';
import { createControlProgram } from './control-program.ts';
import { sendControl } from './send-control.ts';

const program = createControlProgram(({ directory, ...request }) => sendControl(resolve(directory), request));

try {
  await program.parseAsync();
} catch (error) {
  print(process.stderr, `${error instanceof UserFacingError ? error.message : inspect(error)}\n`);
  process.exitCode = 1;
}
