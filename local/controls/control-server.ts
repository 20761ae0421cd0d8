import { randomBytes, timingSafeEqual } from 'node:crypto';
import { rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { UserFacingError } from 'serve-stack';
import { closeServer, listenerOf, listenOnLoopback } from 'serve-stack/host';
import { writePrivately } from '../connections.ts';
import type { Demo } from '../demo/demo-world.ts';
import { readArguments } from './arguments.ts';
import { type ControlledRun, controlEffects, type Effect } from './control-effects.ts';
import { type ControlName, controls, seenLine } from './controls.ts';

/** Holds the URL and the token of a run's control server while it runs. */
export const controlsFile = 'controls.json';

/** The content of that file. */
export type ControlConnection = { readonly url: string; readonly token: string };

/** The request: a control and the words behind its name. */
export type ControlRequest = { readonly name: ControlName; readonly words: readonly string[] };

/** The response: lines for a person. They describe an error unless the status is 200. */
export type ControlAnswer = { readonly lines: readonly string[] };

/** Serves the controls of a run. Callers need the token, which only users who can read the run's folder have. */
export const startControls = async (
  demo: Demo,
  run: ControlledRun,
): Promise<{ readonly close: () => Promise<void> }> => {
  const token = randomBytes(32).toString('base64url');
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (!isSame(incoming.headers.authorization, `Bearer ${token}`))
      return respond(outgoing, 401, ['The token is invalid.']);
    respond(outgoing, 200, await perform(demo, run, JSON.parse(await text(incoming))));
  };
  const server = createServer(
    listenerOf(answer, (error, outgoing) =>
      error instanceof UserFacingError
        ? respond(outgoing, 409, [error.message])
        : respond(outgoing, 500, [`The control has failed: ${(error as Error).message}`]),
    ),
  );
  const file = join(run.directory, controlsFile);
  writePrivately(file, { url: `http://${await listenOnLoopback(server)}/`, token } satisfies ControlConnection);
  return {
    close: () => {
      rmSync(file, { force: true });
      return closeServer(server);
    },
  };
};

const respond = (outgoing: ServerResponse, status: number, lines: readonly string[]): void => {
  outgoing.writeHead(status, { 'content-type': 'application/json' });
  outgoing.end(JSON.stringify({ lines } satisfies ControlAnswer));
};

const isSame = (one: string = '', other: string): boolean => {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.length === second.length && timingSafeEqual(first, second);
};

const perform = async (demo: Demo, run: ControlledRun, { name, words }: ControlRequest): Promise<readonly string[]> => {
  if (!Object.hasOwn(controls, name))
    throw new UserFacingError(`This run has no control ${name}: a different version started it. Start it again.`);
  if (demo.companies.length === 0)
    throw new UserFacingError('This run was started with --empty and has no demo world. Start it without that option.');
  const effect = controlEffects[name] as (run: ControlledRun, words: object) => Effect | Promise<Effect>;
  const { done, isNew } = await effect(run, readArguments(demo, name, words));
  return [done, isNew ? seenLine(name, words) : 'Nothing changed: it was already so.'];
};
