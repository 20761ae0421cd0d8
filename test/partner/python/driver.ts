import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Scripted } from '../client/scripted.ts';

/** An answer, or a lost connection, as the driver reads it. */
export const lineOf = async (scripted: Scripted) => {
  if (scripted instanceof Response) {
    const { status, headers } = scripted;
    return { status, headers: Object.fromEntries(headers), text: await scripted.clone().text() };
  }
  const { cause, name } = scripted as Error & { cause?: { code?: string } };
  return { fault: name === 'TimeoutError' ? 'timeout' : (cause?.code ?? 'lost') };
};

export const linesOf = (script: readonly Scripted[]) => Promise.all(script.map(lineOf));

/** What the Python client makes of scenarios, which `driver.py` describes. One process plays all of them. */
export const playInPython = async <Result>(scenarios: readonly object[]): Promise<Result[]> => {
  const child = spawn('python3', [resolve('test/partner/python/driver.py')], { env: pythonEnvironment() });
  child.stdin.end(JSON.stringify(scenarios));
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (output === '') throw new Error(`The driver of the Python client has failed:\n${errors}`);
  return JSON.parse(output);
};

/** Finds the client in its sources, and writes nothing beside them. */
export const pythonEnvironment = () => ({
  ...process.env,
  PYTHONPATH: resolve('partner/python'),
  PYTHONDONTWRITEBYTECODE: '1',
});
