import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { UserFacingError } from 'serve-stack';

/**
 * Makes a change with the operator CLI, which writes it to the audit log. Returns whether anything changed. The command always
 * has `--local` and the run's folder, so no control reaches a stage on AWS.
 */
export const changeAsOperator = async (directory: string, command: readonly string[]): Promise<boolean> => {
  // Imported on demand: the operator CLI is large, and most runs do not need it.
  const [{ runOperator }, { operatorHost }] = await Promise.all([
    import('../../operator/run.ts'),
    import('../../operator/host.ts'),
  ]);
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const printed = Promise.all([text(stdout), text(stderr)]);
  const options = ['--local', '--directory', directory, '--reason', 'demo control', '--yes', '--output', 'json'];
  const host = { ...operatorHost(), isTerminal: false, stdout, stderr };
  const exitCode = await runOperator([...command, ...options], host);
  stdout.end();
  stderr.end();
  const [output, talk] = await printed;
  if (exitCode !== 0) throw new UserFacingError(talk.trim());
  return (JSON.parse(output) as { readonly outcome: string }).outcome === 'changed';
};
