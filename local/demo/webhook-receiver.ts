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
import { type Answer, forwardPoke, headersOfPoke, openPokeLog, type ReceivedPoke } from './poke-log.ts';

/** Holds the secrets of webhooks, one a line, put there by whoever tries them. */
export const secretsFile = 'webhook-secrets';

export type WebhookReceiver = {
  readonly outside: OutsideHosts;
  /** Answers this status to each message until it is undefined. Returns whether that is new. */
  readonly failWith: (status: number | undefined) => boolean;
  readonly close: () => Promise<void>;
};

/** A host below the first of those that a company has registered. */
export const receiverHostOf = ({ webhookHosts = [] }: Pick<StageConfig['companies'][number], 'webhookHosts'>) =>
  webhookHosts.slice(0, 1).map((host) => `hooks.${host}`);

type ReceiverOptions = {
  readonly directory: string;
  readonly companies: StageConfig['companies'];
  /** The URL of somebody's own receiver, which answers in place of this one. */
  readonly forwardTo?: string | undefined;
  /** Takes a line for each poke that was led there. */
  readonly print?: ((line: string) => void) | undefined;
};

/**
 * Starts the receiver of the demo companies. It answers 204 to a poke with a signature of one of the secrets, and 401 to any
 * other; as long as it has no secret, it takes all. With `forwardTo` it answers what the receiver there does, or
 * nothing if that one answers nothing.
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
  const log = openPokeLog(directory, print);

  let failure: { readonly status: number } | undefined;

  const answerTo = (poke: ReceivedPoke, isVerified: boolean | null): Answer | Promise<Answer> =>
    forwardTo ? forwardPoke(poke, forwardTo, print) : { status: isVerified === false ? 401 : 204 };
  const receive = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { url: path } = incoming;
    const headers = headersOfPoke(incoming.headers);
    const body = await text(incoming);
    const isVerified = verdictOn(secretsIn(directory), headers, body);
    const at = new Date().toISOString();
    const poke = { at, host: incoming.headers.host, path, id: headers['webhook-id'], headers, body };
    const answer: Answer = failure ?? (await answerTo(poke, isVerified));
    log.add({ ...poke, isVerified, ...answer });
    // As a receiver that is not there.
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

const secretsIn = (directory: string): string[] => {
  const file = join(directory, secretsFile);
  return existsSync(file) ? readFileSync(file, 'utf8').split(/\s+/).filter(Boolean) : [];
};

/** Whether a signature is that of one of the secrets; null if there is no secret to tell by. */
const verdictOn = (
  secrets: readonly string[],
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
