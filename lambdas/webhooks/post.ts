import { lookup } from 'node:dns/promises';
import { request } from 'node:https';
import { isIPv4, isIPv6, type LookupFunction } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import type { Attempt } from '../domain/webhook.ts';
import { isGlobalUnicast } from './global-addresses.ts';

/** Why a request got no answer. */
export type PostFault =
  | 'name-not-resolved'
  | 'address-not-public'
  | 'no-ipv4-address'
  | 'not-connected'
  | 'tls-failed'
  | 'no-answer'
  | 'status-not-valid'
  | 'timeout';

export type PostLimits = {
  /** The limit for look-up, connection and TLS. */
  readonly connectMs: number;
  /** The limit for the whole request. */
  readonly totalMs: number;
};

export const postLimits: PostLimits = { connectMs: 5000, totalMs: 10_000 };

/** For a receiver whose last answer was missing or an error: other messages wait while it holds a connection. */
export const failingLimits: PostLimits = { connectMs: 3000, totalMs: 5000 };

/** Reading stops after this many bytes of an answer; no part of the answer is stored. */
const maxAnswerBytes = 1024;
const maxHeaderBytes = 8192;

export type Post = {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Is called when the connection exists, just before the request is sent. */
  readonly whenSent?: (() => void) | undefined;
};

/** The result of a request: what is stored of it, and how long the receiver asks to wait. */
export type PostResult = Omit<Attempt, 'atMs' | 'fault'> & {
  readonly fault: PostFault | null;
  readonly retryAfter?: string | undefined;
};

/**
 * Sends one POST request to a URL that has passed `webhookUrlFault`. The host name is resolved here, every address must be
 * public, and the connection goes only to these addresses, so a second look-up with another address has no effect. IPv6
 * addresses are left out, since functions outside of a VPC cannot reach them:
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html
 * The request follows no redirects, uses no proxy and keeps no connection. Never throws.
 */
export const post = async (
  network: Network,
  url: string,
  { headers, body, whenSent }: Post,
  limits: PostLimits = postLimits,
): Promise<PostResult> => {
  const startMs = performance.now();
  const stopping = new AbortController();
  const clocks = [limits.connectMs, limits.totalMs].map((ms) => setTimeout(() => stopping.abort(), ms));
  const [connectClock] = clocks;
  const state: State = { stage: 'name-not-resolved', durationMs: undefined };
  const aborted = new Promise<'timeout'>((resolve) => {
    stopping.signal.addEventListener('abort', () => resolve('timeout'), { once: true });
  });
  const work = async (): Promise<PostFault | null> => {
    const { hostname, pathname, search } = new URL(url);
    const addresses = await network.resolve(hostname);
    if (stopping.signal.aborted) return 'timeout';
    if (addresses.length === 0) return 'name-not-resolved';
    if (!addresses.every(isGlobalUnicast)) return 'address-not-public';
    const reachable = addresses.filter(isIPv4);
    if (reachable.length === 0) return 'no-ipv4-address';
    state.stage = 'not-connected';
    const socket = network.connect(hostname, reachable);
    state.socket = socket;
    await connected(socket, state);
    clearTimeout(connectClock);
    state.stage = 'no-answer';
    whenSent?.();
    await exchange({ socket, hostname, path: `${pathname}${search}`, headers, body }, state, startMs);
    return null;
  };
  const fault = await Promise.race([work().catch(() => state.stage), aborted]);
  for (const clock of clocks) clearTimeout(clock);
  state.socket?.on('error', () => undefined).destroy();
  const { status, retryAfter, durationMs = Math.round(performance.now() - startMs) } = state;
  return status === undefined
    ? { status: null, fault: fault ?? 'no-answer', durationMs }
    : { status, fault: null, durationMs, retryAfter };
};

type State = {
  /** The fault if the request ends now. */
  stage: PostFault;
  durationMs: number | undefined;
  socket?: TLSSocket;
  status?: number;
  retryAfter?: string | undefined;
};

const connected = (socket: TLSSocket, state: State): Promise<void> =>
  new Promise((resolve, reject) => {
    socket.once('connect', () => {
      state.stage = 'tls-failed';
    });
    socket.once('secureConnect', resolve);
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('The connection was closed.')));
  });

/** Node.js accepts any three digits as a status. */
const isStatus = (code: number): boolean => code >= 100 && code <= 599;

type Exchange = Pick<Post, 'headers' | 'body'> & {
  readonly socket: TLSSocket;
  readonly hostname: string;
  readonly path: string;
};

/** Resolves when the answer has ended or reached the maximum size; the status is valid as soon as it arrives. */
const exchange = ({ socket, hostname, path, headers, body }: Exchange, state: State, startMs: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const outgoing = request({
      method: 'POST',
      hostname,
      port: 443,
      defaultPort: 443,
      path,
      maxHeaderSize: maxHeaderBytes,
      headers: { ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' },
      // Bypasses the agent, with its proxy settings and kept connections.
      createConnection: () => socket,
    });
    outgoing.once('error', reject);
    outgoing.once('response', (answer) => {
      const { statusCode = 0 } = answer;
      if (!isStatus(statusCode)) {
        state.stage = 'status-not-valid';
        return reject(new Error(`The receiver answered with the status ${statusCode}.`));
      }
      state.status = statusCode;
      state.retryAfter = answer.headers['retry-after'];
      state.durationMs = Math.round(performance.now() - startMs);
      let bytes = 0;
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes >= maxAnswerBytes) resolve();
      });
      answer.once('close', resolve);
      answer.once('error', () => resolve());
    });
    outgoing.end(body);
  });

/** The sender's access to the network. */
export type Network = {
  /** Returns all addresses of a host name. */
  readonly resolve: (hostName: string) => Promise<readonly string[]>;
  /** Connects to port 443 of one of these addresses and to no other, and verifies the certificate for the host. */
  readonly connect: (hostName: string, addresses: readonly string[]) => TLSSocket;
};

/** The internet; environment variables do not affect it. */
export const internet: Network = {
  resolve: async (hostName) => (await lookup(hostName, { all: true, order: 'verbatim' })).map(({ address }) => address),
  connect: (hostName, addresses) =>
    connect({
      host: hostName,
      port: 443,
      servername: hostName,
      lookup: answering(addresses),
      ALPNProtocols: ['http/1.1'],
      rejectUnauthorized: true,
    }),
};

/** Returns a look-up function with fixed answers, so that a connection does not resolve the name a second time. */
export const answering = (addresses: readonly string[]): LookupFunction => {
  const answers = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return (_hostName, { all }, callback) => {
    const [first] = answers;
    if (all || !first) callback(null, answers);
    else callback(null, first.address, first.family);
  };
};
