import { resolve } from 'node:path';
import { inspect } from 'node:util';
import { UserFacingError } from 'serve-stack';
import { bypassProxyOnLoopback } from 'serve-stack/loopback';
import { optionNamesOf, optionTakenByNpm } from '../../operator/cli/npm-options.ts';
import { ignoreClosedPipes, print } from '../../operator/cli/output.ts';
import { createControlProgram } from './control-program.ts';
import { sendControl } from './send-control.ts';

bypassProxyOnLoopback();
ignoreClosedPipes((reason) => {
  print(process.stderr, `The output could not be written (${reason}).\n`);
  process.exitCode = 1;
});
const program = createControlProgram(({ directory, ...request }) => sendControl(resolve(directory), request));

try {
  const taken = optionTakenByNpm(optionNamesOf(program), process.argv);
  if (taken) throw new UserFacingError(taken);
  await program.parseAsync();
} catch (error) {
  print(process.stderr, `${error instanceof UserFacingError ? error.message : inspect(error)}\n`);
  process.exitCode = 1;
}
