import { createHash } from 'node:crypto';
import { randomBase62 } from '../base62.ts';
import { toTimestamp } from '../time.ts';
import type { SignedContent } from './signature.ts';
import type { Webhook } from './webhook.ts';

/** What a poke is about: the code of the handshake, or that there is something to read. It holds nothing personal. */
export type PokeType = 'webhook.verify' | 'events.available' | 'webhook.test';

type Poked = Pick<Webhook, 'webhookId' | 'state' | 'code' | 'asked'>;

/** A webhook that is not verified yet gets its code, which none gets later. */
export const pokeTypeOf = ({ state }: Pick<Webhook, 'state'>) =>
  state === 'unverified' ? ('webhook.verify' as const) : ('events.available' as const);

/** A poke that is tried again keeps its id, and one that more was asked of gets another. */
export const pokeOf = (webhook: Poked, nowMs: number): SignedContent => {
  const { webhookId, code, asked } = webhook;
  const type = pokeTypeOf(webhook);
  const data = { webhookId, ...(type === 'webhook.verify' && { code }) };
  const content = `${type} ${webhookId} ${asked}${type === 'webhook.verify' ? ` ${code}` : ''}`;
  return {
    id: `poke_${createHash('sha256').update(content).digest('hex').slice(0, idDigits)}`,
    timestampMs: nowMs,
    body: bodyOf(type, nowMs, data),
  };
};

const idDigits = 32;

/** A poke that only tries the way: nobody has to read anything for it. */
export const testPokeOf = ({ webhookId }: Pick<Webhook, 'webhookId'>, nowMs: number): SignedContent => ({
  id: `poke_${randomBase62(22)}`,
  timestampMs: nowMs,
  body: bodyOf('webhook.test', nowMs, { webhookId }),
});

const bodyOf = (type: PokeType, nowMs: number, data: object): string =>
  JSON.stringify({ type, timestamp: toTimestamp(wholeSecond(nowMs)), data });

const wholeSecond = (ms: number): number => Math.floor(ms / 1000) * 1000;

/** The versions of the secret that sign: the current one first, and the one before it for as long as it signs along. */
export const signingVersions = (
  { secretVersion, previousSecretUntilMs = 0 }: Pick<Webhook, 'secretVersion' | 'previousSecretUntilMs'>,
  nowMs: number,
): readonly number[] => (nowMs < previousSecretUntilMs ? [secretVersion, secretVersion - 1] : [secretVersion]);
