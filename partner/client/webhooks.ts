/** A request that arrived at the URL of a webhook. */
export type WebhookRequest = {
  /** The headers, as the Fetch API or Node.js provides them. */
  readonly headers: Headers | Readonly<Record<string, string | string[] | undefined>>;
  /** The raw body, before any parsing: a body that was parsed and serialized again may differ, and no signature would match. */
  readonly body: string | Uint8Array;
};

export type VerificationOptions = {
  /** The current time in milliseconds since 1970. By default `Date.now()`. */
  readonly nowMs?: number;
};

type Bytes = Uint8Array<ArrayBuffer>;

/** Messages with an older or later timestamp are rejected, because an attacker may have recorded and replayed them. */
const toleranceSeconds = 300;

/** The service sends at most two signatures. The limit bounds the work that a forged request can cause. */
const maxSignatures = 10;

/**
 * Verifies the signature and the timestamp of a webhook request and returns its message. Pass the secret that `createWebhook`
 * or `rotateWebhookSecret` returned; during a rotation, pass the old and the new one.
 *
 * Rejects with WebhookMessageError if the request is not an authentic, recent message: answer 401. Rejects with TypeError,
 * which never quotes a secret, if a secret is malformed or missing.
 */
export const verifyWebhookMessage = async (
  { headers, body }: WebhookRequest,
  secrets: string | readonly string[],
  { nowMs = Date.now() }: VerificationOptions = {},
): Promise<WebhookMessage> => {
  const keys = keysOf(secrets);
  const [id, timestamp, signature] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerIn(headers, name),
  );
  if (!id || !timestamp || !signature) throw new WebhookMessageError('header-missing');
  if (!/^\d+$/.test(timestamp) || Math.abs(Math.floor(nowMs / 1000) - Number(timestamp)) > toleranceSeconds)
    throw new WebhookMessageError('time-off');
  const text = typeof body === 'string' ? body : new TextDecoder('utf-8', { ignoreBOM: true }).decode(body);
  const content = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  if (!(await isSigned(content, signaturesIn(signature), keys))) throw new WebhookMessageError('signature-wrong');
  const message = messageIn(id, text);
  if (!message) throw new WebhookMessageError('body-unreadable');
  return message;
};

const headerIn = (headers: WebhookRequest['headers'], name: string): string | undefined => {
  const entries = Symbol.iterator in headers ? [...(headers as Headers)] : Object.entries(headers);
  const [, value] = entries.find(([each]) => each.toLowerCase() === name) ?? [];
  return Array.isArray(value) ? value[0] : value;
};

const keysOf = (secrets: string | readonly string[]): Bytes[] => {
  const given = [secrets].flat();
  if (given.length === 0) throw new TypeError('Expected one or more secrets of the webhook, but received none.');
  return given.map((secret) => {
    const [, base64] = /^whsec_([A-Za-z0-9+/]{43}=)$/.exec(secret) ?? [];
    if (base64 !== undefined) return bytesOf(base64);
    throw new TypeError(
      'Expected a secret as createWebhook returned it: whsec_ and 44 characters. It may be truncated or end with a line break.',
    );
  });
};

/**
 * Returns the signatures of version `v1`; the header may have others, too. The pattern accepts only the canonical Base64 of
 * 32 bytes.
 */
const signaturesIn = (header: string): Bytes[] =>
  header
    .split(' ')
    .flatMap((each) => /^v1,([A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=)$/.exec(each)?.[1] ?? [])
    .slice(0, maxSignatures)
    .map(bytesOf);

const bytesOf = (base64: string): Bytes => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

/** Whether one of the signatures was made with one of the keys. The platform compares in constant time. */
const isSigned = async (content: Bytes, signatures: readonly Bytes[], keys: readonly Bytes[]): Promise<boolean> => {
  for (const bytes of keys) {
    const algorithm = { name: 'HMAC', hash: 'SHA-256' };
    const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify']);
    for (const signature of signatures) if (await crypto.subtle.verify('HMAC', key, signature, content)) return true;
  }
  return false;
};

const refusals = {
  'header-missing':
    'The request lacks webhook-id, webhook-timestamp or webhook-signature. It is not a webhook message, or a proxy has removed a header.',
  'time-off': `The message was signed more than ${toleranceSeconds} seconds before or after now. Check the clock of this machine. If the clock is correct, the message may be a replay.`,
  'signature-wrong':
    'No signature matches a given secret. The request is forged, the secret belongs to another webhook, or the body was changed before the verification.',
  'body-unreadable':
    'The signature is valid, but the body is not a webhook message that this version of the client can read.',
} as const;

/** Why a message was rejected. */
export type WebhookMessageRefusal = keyof typeof refusals;

/** The request is not an authentic, recent webhook message. Answer 401 and do nothing else. */
export class WebhookMessageError extends Error {
  override readonly name = 'WebhookMessageError';
  /** The reason, for logs and metrics. */
  readonly refusal: WebhookMessageRefusal;

  constructor(refusal: WebhookMessageRefusal) {
    super(refusals[refusal]);
    this.refusal = refusal;
  }
}

type OfWebhook = { readonly webhookId: string };

/** The `data` of a message, by its type. */
type DataByType = {
  /** The feed has new events: read it. */
  'events.available': OfWebhook;
  /** Send the code back with `verifyWebhook`, from a process that has an API key. */
  'webhook.verify': OfWebhook & { readonly code: string };
  /** A message that you requested with `testWebhook`. There is nothing to do. */
  'webhook.test': OfWebhook;
};

export type WebhookMessageType = keyof DataByType;

/** All attempts of a message have the same `id`. `timestamp` is the time of this attempt (RFC 3339, UTC). */
type Common = { readonly id: string; readonly timestamp: string };

/** A message to a webhook. `type` determines the type of `data`. */
export type WebhookMessage =
  | { [Type in WebhookMessageType]: KnownMessage<Type> }[WebhookMessageType]
  | UnknownWebhookMessage;

type KnownMessage<Type extends WebhookMessageType> = Common & { readonly type: Type; readonly data: DataByType[Type] };

/** A message whose type (`newType`) is newer than this client. You may ignore it. */
export type UnknownWebhookMessage = Common & {
  readonly type: 'unknown-message';
  readonly newType: string;
  readonly data: Readonly<Record<string, unknown>>;
};

const isKnown: Readonly<Record<WebhookMessageType, true>> = {
  'events.available': true,
  'webhook.verify': true,
  'webhook.test': true,
};

/** Returns the typed message in a body; undefined if the body is not a message. Does not validate the members of `data`. */
const messageIn = (id: string, body: string): WebhookMessage | undefined => {
  const parsed = parsedObject(body);
  if (typeof parsed?.type !== 'string' || typeof parsed.timestamp !== 'string') return undefined;
  const { type, timestamp, data } = parsed;
  if (typeof data !== 'object' || data === null) return undefined;
  const isOfThisVersion = Object.hasOwn(isKnown, type);
  return {
    id,
    timestamp,
    data,
    ...(isOfThisVersion ? { type } : { type: 'unknown-message', newType: type }),
  } as WebhookMessage;
};

const parsedObject = (text: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const parsed = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined;
  } catch {
    return undefined;
  }
};
