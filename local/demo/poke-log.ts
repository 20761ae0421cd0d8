import { readFileSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { UserFacingError } from 'serve-stack';
import { openLog } from 'serve-stack/host';
import { postLimits } from '../../lambdas/webhooks/post.ts';

/** Gets a line for each poke that has arrived. */
export const pokesFile = 'pokes.log';

/** A poke as it came, with the headers that its sender has set. */
export type ReceivedPoke = {
  readonly at: string;
  readonly host: string | undefined;
  readonly path: string | undefined;
  /** The one of `webhook-id`: a poke that is tried again keeps it. */
  readonly id: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** What a receiver answers; without status, why it answered nothing. */
export type Answer =
  | { readonly status: number; readonly retryAfter?: string | undefined }
  | { readonly status: null; readonly fault: string };

/** A line of the file. `isVerified` is null if there was no secret to tell by. */
type LoggedPoke = ReceivedPoke & Answer & { readonly isVerified: boolean | null };

export const openPokeLog = (directory: string, print: (line: string) => void) => {
  const file = join(directory, pokesFile);
  writeFileSync(file, '');
  const log = openLog(file, print);
  return { add: (poke: LoggedPoke) => log(JSON.stringify(poke)) };
};

/** Those of a connection and no part of the poke. */
const ofConnection = ['host', 'connection', 'content-length', 'transfer-encoding'];

export const headersOfPoke = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      ofConnection.includes(name) || value === undefined ? [] : [[name, `${value}`]],
    ),
  );

/** Sends a poke as it came to somebody's own receiver, and tells in a line what that answered. */
export const forwardPoke = async (
  { headers, id, body }: ReceivedPoke,
  url: string,
  print: (line: string) => void,
): Promise<Answer> => {
  const startMs = performance.now();
  const answer = await answerTo(url, { headers, body });
  const outcome = answer.status ?? `no answer, ${answer.fault}`;
  print(`${typeOf(body)} ${id} to ${url}: ${outcome} after ${Math.round(performance.now() - startMs)} ms`);
  return answer;
};

const answerTo = async (url: string, poke: Pick<ReceivedPoke, 'headers' | 'body'>): Promise<Answer> => {
  try {
    const signal = AbortSignal.timeout(postLimits.totalMs);
    const { status, headers, body } = await fetch(url, { method: 'POST', ...poke, redirect: 'manual', signal });
    await body?.cancel();
    return { status, retryAfter: headers.get('retry-after') ?? undefined };
  } catch (error) {
    const { message, cause } = error as { message: string; cause?: NodeJS.ErrnoException };
    // A name with several addresses that all refuse has a code, and no message.
    return { status: null, fault: cause?.message || cause?.code || message };
  }
};

const typeOf = (body: string): string => {
  try {
    return String(JSON.parse(body).type);
  } catch {
    return 'a body that is no JSON';
  }
};

/** Receivers refuse what was signed longer ago, or should. */
const toleranceMs = 5 * 60_000;

/**
 * Sends a poke of the file once more to somebody's own receiver, as it came the last time. Throws a sentence if there is
 * none with this id, or if it is not answered with 2xx.
 */
export const replayPoke = async (
  { directory, id, url }: { readonly directory: string; readonly id: string; readonly url: string },
  print: (line: string) => void,
): Promise<void> => {
  const pokes = readPokes(join(directory, pokesFile));
  const poke = pokes.findLast((each) => each.id === id);
  if (!poke) {
    const lastIds = [...new Set(pokes.map((each) => each.id))].slice(-3);
    const hint = lastIds.length > 0 ? `The last ones there are ${lastIds.join(', ')}.` : 'None has arrived yet.';
    throw new UserFacingError(`${join(directory, pokesFile)} has no message ${id}. ${hint}`);
  }
  const ageMs = Date.now() - Number(poke.headers['webhook-timestamp']) * 1000;
  if (ageMs > toleranceMs)
    print(`It was signed ${Math.floor(ageMs / 60_000)} minutes ago: a receiver that checks the time refuses it.`);
  const { status } = await forwardPoke(poke, url, print);
  if (status === null || status < 200 || status > 299)
    throw new UserFacingError('The receiver did not take it: it has to answer 2xx.');
};

const readPokes = (file: string): LoggedPoke[] => {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new UserFacingError(`There is no ${file}: start a run first, and let a webhook get a message.`);
  }
};
