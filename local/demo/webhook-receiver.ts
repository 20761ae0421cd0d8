import { existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { OutsideHosts } from 'serve-stack';
import {
  closeServer,
  createHttpsServer,
  issueServerCertificate,
  listenerOf,
  listenOnLoopback,
  replaceFile,
} from 'serve-stack/host';
import { Webhook } from 'standardwebhooks';
import type { StageConfig } from '../../config/schema.ts';
import { decodeLines } from '../../config/text-file.ts';
import {
  type Answer,
  forwardMessage,
  headersOfMessage,
  openWebhookMessageLog,
  type ReceivedMessage,
} from './webhook-message-log.ts';

/** Holds the secrets of webhooks, one per line; the user who tries webhooks writes it. */
export const secretsFile = 'webhook-secrets';

export type WebhookReceiver = {
  readonly outside: OutsideHosts;
  /** Answers every message with this status; undefined ends that. Returns whether this changed anything. */
  readonly failWith: (status: number | undefined) => boolean;
  readonly close: () => Promise<void>;
};

/** Returns a subdomain of the company's first registered webhook host, or an empty list. */
export const receiverHostOf = ({ webhookHosts = [] }: Pick<StageConfig['companies'][number], 'webhookHosts'>) =>
  webhookHosts.slice(0, 1).map((host) => `hooks.${host}`);

type ReceiverOptions = {
  readonly directory: string;
  readonly companies: StageConfig['companies'];
  /** The URL of the user's own receiver, which answers instead of this one. */
  readonly forwardTo?: string | undefined;
  /** Receives a line for each forwarded message. */
  readonly print?: ((line: string) => void) | undefined;
};

/**
 * Starts the webhook receiver of the demo companies. It answers 204 to a message that is signed with one of the secrets and 401
 * to any other; without secrets it answers 204 to all. With `forwardTo` it relays the answer of that receiver, and closes
 * the connection if that receiver does not answer.
 */
export const startWebhookReceiver = async ({
  directory,
  companies,
  forwardTo,
  print = () => undefined,
}: ReceiverOptions): Promise<WebhookReceiver> => {
  const hostNames = companies.flatMap(receiverHostOf);
  const { ca, certificate, privateKey } = await issueServerCertificate(Date.now(), ['localhost', ...hostNames]);
  const caFile = join(directory, 'receiver-ca.pem');
  replaceFile(caFile, ca);
  const log = openWebhookMessageLog(directory, print);

  const warned = new Set<string>();
  const warn = (sentence: string): void => {
    if (!warned.has(sentence)) print(sentence);
    warned.add(sentence);
  };
  let failure: { readonly status: number } | undefined;

  const answerTo = (message: ReceivedMessage, isVerified: boolean | null): Answer | Promise<Answer> =>
    forwardTo ? forwardMessage(message, forwardTo, print) : { status: isVerified === false ? 401 : 204 };
  const receive = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { url: path } = incoming;
    const headers = headersOfMessage(incoming.headers);
    const body = await text(incoming);
    const isVerified = verdictOn(secretsIn(directory, warn), headers, body);
    const at = new Date().toISOString();
    const message = { at, host: incoming.headers.host, path, id: headers['webhook-id'], headers, body };
    const answer: Answer = failure ?? (await answerTo(message, isVerified));
    log.add({ ...message, isVerified, ...answer });
    // Behaves like an unreachable receiver.
    if (answer.status === null) outgoing.destroy();
    else outgoing.writeHead(answer.status, answer.retryAfter ? { 'retry-after': answer.retryAfter } : {}).end();
  };
  const server = createHttpsServer({ cert: certificate, key: privateKey }, listenerOf(receive));
  const port = Number((await listenOnLoopback(server)).split(':')[1]);
  return {
    outside: { caFile, ports: Object.fromEntries(hostNames.map((name) => [name, port])) },
    failWith: (status) => {
      const isNew = failure?.status !== status;
      failure = status === undefined ? undefined : { status };
      return isNew;
    },
    close: () => closeServer(server),
  };
};

/** Returns the secrets in the file of the user, and tells `warn` what is none; undefined if the file cannot be read. */
const secretsIn = (directory: string, warn: (sentence: string) => void): string[] | undefined => {
  const file = join(directory, secretsFile);
  try {
    const words = existsSync(file) ? decodeLines(readFileSync(file)).split(/\s+/).filter(Boolean) : [];
    if (!words.every((word) => /^whsec_[\w+/-]+=*$/.test(word)))
      warn(`${file} has something that is no secret of a webhook; a secret begins with whsec_.`);
    return words;
  } catch (error) {
    warn(`${file} ${(error as Error).message}`);
    return undefined;
  }
};

/** Whether the signature was made with one of the secrets; null if there are no secrets. */
const verdictOn = (
  secrets: readonly string[] = [''],
  headers: Readonly<Record<string, string>>,
  body: string,
): boolean | null => {
  if (secrets.length === 0) return null;
  return secrets.some((secret) => {
    try {
      new Webhook(secret).verify(body, headers);
      return true;
    } catch {
      return false;
    }
  });
};
