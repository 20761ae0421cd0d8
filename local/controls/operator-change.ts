import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { UserFacingError } from 'serve-stack';

/**
 * Makes a change with the operator's program, which puts it on record. Says whether anything was changed. The program is
 * always told that it works on the local run of that folder, so no control reaches a stage of AWS.
 */
export const changeAsOperator = async (directory: string, command: readonly string[]): Promise<boolean> => {
  // It is large, and most runs need none of it.
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
