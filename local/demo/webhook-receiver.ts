import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { OutsideHosts } from 'serve-stack';
import {
  closeServer,
  createHttpsServer,
  issueServerCertificate,
  listenOnLoopback,
  replaceFile,
} from 'serve-stack/host';
import { Webhook } from 'standardwebhooks';
import type { StageConfig } from '../../config/schema.ts';

/** Gets a line for each poke that has arrived. */
export const pokesFile = 'pokes.log';

/** Holds the secrets of webhooks, one a line, put there by whoever tries them. */
export const secretsFile = 'webhook-secrets';

export type WebhookReceiver = { readonly outside: OutsideHosts; readonly close: () => Promise<void> };

/** A host below the first of those that a company has registered. */
export const receiverHostOf = ({ webhookHosts = [] }: Pick<StageConfig['companies'][number], 'webhookHosts'>) =>
  webhookHosts.slice(0, 1).map((host) => `hooks.${host}`);

/**
 * Starts the receiver of the demo companies. It answers 204 to a poke with a signature of one of the secrets, and 401 to any
 * other; as long as it has no secret, it takes all.
 */
export const startWebhookReceiver = async (
  directory: string,
  companies: StageConfig['companies'],
): Promise<WebhookReceiver> => {
  const hostNames = companies.flatMap(receiverHostOf);
  const { ca, certificate, privateKey } = await issueServerCertificate(Date.now(), ['localhost', ...hostNames]);
  const caFile = join(directory, 'receiver-ca.pem');
  replaceFile(caFile, ca);
  writeFileSync(join(directory, pokesFile), '');

  const receive = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const body = await text(incoming);
    const isVerified = verdictOn(secretsIn(directory), incoming, body);
    const status = isVerified === false ? 401 : 204;
    const poke = { at: new Date().toISOString(), host: incoming.headers.host, path: incoming.url };
    const line = { ...poke, id: incoming.headers['webhook-id'], isVerified, status, body };
    appendFileSync(join(directory, pokesFile), `${JSON.stringify(line)}\n`);
    outgoing.writeHead(status).end();
  };
  const server = createHttpsServer({ cert: certificate, key: privateKey }, (incoming, outgoing) => {
    receive(incoming, outgoing).catch(() => outgoing.destroy());
  });
  const port = Number((await listenOnLoopback(server)).split(':')[1]);
  return {
    outside: { caFile, ports: Object.fromEntries(hostNames.map((name) => [name, port])) },
    close: () => closeServer(server),
  };
};

const secretsIn = (directory: string): string[] => {
  const file = join(directory, secretsFile);
  return existsSync(file) ? readFileSync(file, 'utf8').split(/\s+/).filter(Boolean) : [];
};

/** Whether a signature is that of one of the secrets; null if there is no secret to tell by. */
const verdictOn = (secrets: readonly string[], { headers }: IncomingMessage, body: string): boolean | null => {
  if (secrets.length === 0) return null;
  return secrets.some((secret) => {
    try {
      new Webhook(secret).verify(body, headers as Record<string, string>);
      return true;
    } catch {
      return false;
    }
  });
};
