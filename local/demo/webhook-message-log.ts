import { readFileSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { UserFacingError } from 'serve-stack';
import { openLog } from 'serve-stack/host';
import { postLimits } from '../../lambdas/webhooks/post.ts';

/** Holds one JSON line per received message. */
export const webhookMessagesFile = 'webhook-messages.log';

/** A received message with its sender's headers. */
export type ReceivedMessage = {
  readonly at: string;
  readonly host: string | undefined;
  readonly path: string | undefined;
  /** The header `webhook-id`: every attempt of a message has the same one. */
  readonly id: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** A receiver's answer; `fault` is the reason if there was none. */
export type Answer =
  | { readonly status: number; readonly retryAfter?: string | undefined }
  | { readonly status: null; readonly fault: string };

/** A line of the file. `isVerified` is null if there was no secret to verify with. */
type LoggedMessage = ReceivedMessage & Answer & { readonly isVerified: boolean | null };

export const openWebhookMessageLog = (directory: string, print: (line: string) => void) => {
  const file = join(directory, webhookMessagesFile);
  writeFileSync(file, '');
  const log = openLog(file, print);
  return { add: (message: LoggedMessage) => log(JSON.stringify(message)) };
};

/** Headers of the connection, which are not part of the message. */
const ofConnection = ['host', 'connection', 'content-length', 'transfer-encoding'];

export const headersOfMessage = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      ofConnection.includes(name) || value === undefined ? [] : [[name, `${value}`]],
    ),
  );

/** Sends a received message unchanged to the user's own receiver and prints the answer in one line. */
export const forwardMessage = async (
  { headers, id, body }: ReceivedMessage,
  url: string,
  print: (line: string) => void,
): Promise<Answer> => {
  const startMs = performance.now();
  const answer = await answerTo(url, { headers, body });
  const outcome = answer.status ?? `no answer, ${answer.fault}`;
  print(`${typeOf(body)} ${id} to ${url}: ${outcome} after ${Math.round(performance.now() - startMs)} ms`);
  return answer;
};

const answerTo = async (url: string, message: Pick<ReceivedMessage, 'headers' | 'body'>): Promise<Answer> => {
  try {
    const signal = AbortSignal.timeout(postLimits.totalMs);
    const { status, headers, body } = await fetch(url, { method: 'POST', ...message, redirect: 'manual', signal });
    await body?.cancel();
    return { status, retryAfter: headers.get('retry-after') ?? undefined };
  } catch (error) {
    const { message, cause } = error as { message: string; cause?: NodeJS.ErrnoException };
    // If all of several addresses refuse the connection, the error has a code but no message.
    return { status: null, fault: cause?.message || cause?.code || message };
  }
};

const typeOf = (body: string): string => {
  try {
    return String(JSON.parse(body).type);
  } catch {
    return 'a body that is not JSON';
  }
};

/** Receivers should reject messages that were signed longer ago. */
const toleranceMs = 5 * 60_000;

/**
 * Sends the latest attempt of a logged message unchanged to the user's own receiver. Throws UserFacingError if the log has no
 * message with this id, or if the answer is not 2xx.
 */
export const replayMessage = async (
  { directory, id, url }: { readonly directory: string; readonly id: string; readonly url: string },
  print: (line: string) => void,
): Promise<void> => {
  const messages = readMessages(join(directory, webhookMessagesFile));
  const message = messages.findLast((each) => each.id === id);
  if (!message) {
    const lastIds = [...new Set(messages.map((each) => each.id))].slice(-3);
    const hint = lastIds.length > 0 ? `The last ones there are ${lastIds.join(', ')}.` : 'None has arrived yet.';
    throw new UserFacingError(`${join(directory, webhookMessagesFile)} has no message ${id}. ${hint}`);
  }
  const ageMs = Date.now() - Number(message.headers['webhook-timestamp']) * 1000;
  if (ageMs > toleranceMs)
    print(`It was signed ${Math.floor(ageMs / 60_000)} minutes ago: a receiver that checks the time refuses it.`);
  const { status } = await forwardMessage(message, url, print);
  if (status === null || status < 200 || status > 299)
    throw new UserFacingError('The receiver did not accept the message: it must answer 2xx.');
};

const readMessages = (file: string): LoggedMessage[] => {
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
