import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe } from 'vitest';
import { hasPython } from '../../support/service.ts';
import type { Scripted } from '../client/scripted.ts';

/** A suite that needs Python. */
export const python = describe.skipIf(!hasPython);

/** Returns the rows of `test.each` for a table of scenarios: the last element is the index of the result. */
export const rowsOf = <Scenario>(scenarios: Readonly<Record<string, Scenario>>) =>
  Object.entries(scenarios).map(([name, scenario], index) => [name, scenario, index] as const);

/** Plays scenarios with scripted answers of the service. */
export const playScripted = async <Result>(
  play: 'call' | 'feed' | 'rotation',
  scenarios: readonly { readonly script: readonly Scripted[] }[],
): Promise<Result[]> =>
  playInPython(
    await Promise.all(
      scenarios.map(async ({ script, ...scenario }) => ({
        play,
        ...scenario,
        script: await Promise.all(script.map(lineOf)),
      })),
    ),
  );

/** Returns an answer or a failed connection in the format of the driver. */
const lineOf = async (scripted: Scripted) => {
  if (scripted instanceof Response) {
    const { status, headers } = scripted;
    return { status, headers: Object.fromEntries(headers), text: await scripted.clone().text() };
  }
  const { cause, name } = scripted as Error & { cause?: { code?: string } };
  return { fault: name === 'TimeoutError' ? 'timeout' : (cause?.code ?? 'lost') };
};

/** Plays scenarios against the Python client in one process. `driver.py` defines the format. */
export const playInPython = async <Result>(scenarios: readonly object[]): Promise<Result[]> => {
  const child = spawn('python3', [resolve('test/partner/python/driver.py')], { env: pythonEnvironment() });
  child.stdin.end(JSON.stringify(scenarios));
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (output === '') throw new Error(`The driver of the Python client has failed:\n${errors}`);
  return JSON.parse(output);
};

/** Makes Python import the client from its sources and write no bytecode. */
export const pythonEnvironment = () => ({
  ...process.env,
  PYTHONPATH: resolve('partner/python'),
  PYTHONDONTWRITEBYTECODE: '1',
});
