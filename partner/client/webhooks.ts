/** A request as it arrived at the URL of a webhook. */
export type WebhookRequest = {
  readonly headers: Headers | Readonly<Record<string, string | string[] | undefined>>;
  /** The body as it came, before anything parses it: written anew, it may differ, and then no signature is right. */
  readonly body: string | Uint8Array;
};

export type VerificationOptions = {
  /** The time now, in milliseconds since 1970; that of this machine if absent. */
  readonly nowMs?: number;
};

type Bytes = Uint8Array<ArrayBuffer>;

/** A message that is further away from now was perhaps recorded and sent again by somebody else. */
const toleranceSeconds = 300;

/** The service sends two at most. A limit bounds the work that a stranger can cause. */
const maxSignatures = 10;

/**
 * The webhook message in a request, if the service has signed it with one of the secrets. While a secret replaces another one, give both.
 * Rejects with a WebhookMessageError if the message is refused, and with a TypeError, which quotes no secret, if the call is wrong.
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
  if (given.length === 0) throw new TypeError('Expected the secret of the webhook, or several. There is none.');
  return given.map((secret) => {
    const [, base64] = /^whsec_([A-Za-z0-9+/]{43}=)$/.exec(secret) ?? [];
    if (base64 !== undefined) return bytesOf(base64);
    throw new TypeError(
      'Expected a secret as createWebhook has shown it: whsec_ and 44 characters. It is cut off, or has a line break at its end, perhaps.',
    );
  });
};

/** The signatures of the version that the client knows; others may stand beside them. 32 bytes have one spelling only. */
const signaturesIn = (header: string): Bytes[] =>
  header
    .split(' ')
    .flatMap((each) => /^v1,([A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=)$/.exec(each)?.[1] ?? [])
    .slice(0, maxSignatures)
    .map(bytesOf);

const bytesOf = (base64: string): Bytes => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

/** Whether one of the signatures is that of one of the keys. The platform compares them in constant time. */
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
    'The request lacks webhook-id, webhook-timestamp or webhook-signature. It is no webhook message, or something on its way has removed a header.',
  'time-off': `The message was signed more than ${toleranceSeconds} seconds before or after now. Check the clock of this machine; if it is right, somebody sends an old message again.`,
  'signature-wrong':
    'No signature is that of a given secret. The request is from somebody else, the secret is that of another webhook, or the body is not the one that came.',
  'body-unreadable':
    'The signature is right, but the body is no webhook message that this version of the client can read.',
} as const;

/** Why a message was refused. */
export type WebhookMessageRefusal = keyof typeof refusals;

/** The request is not to be trusted: answer it with 401, and do nothing. */
export class WebhookMessageError extends Error {
  override readonly name = 'WebhookMessageError';
  readonly refusal: WebhookMessageRefusal;

  constructor(refusal: WebhookMessageRefusal) {
    super(refusals[refusal]);
    this.refusal = refusal;
  }
}

type OfWebhook = { readonly webhookId: string };

/** The `data` of a message, by its type. */
type DataByType = {
  /** There is something to read in the feed. */
  'events.available': OfWebhook;
  /** The code goes back through `verifyWebhook`, from a process that has an API key. */
  'webhook.verify': OfWebhook & { readonly code: string };
  /** Asked for with `testWebhook`: there is nothing to do. */
  'webhook.test': OfWebhook;
};

export type WebhookMessageType = keyof DataByType;

/** A message that is sent again keeps its `id`. `timestamp` is when this attempt was made: RFC 3339, UTC. */
type Common = { readonly id: string; readonly timestamp: string };

/** What the service sends to a webhook; `type` says what its `data` holds. */
export type WebhookMessage =
  | { [Type in WebhookMessageType]: KnownMessage<Type> }[WebhookMessageType]
  | UnknownWebhookMessage;

type KnownMessage<Type extends WebhookMessageType> = Common & { readonly type: Type; readonly data: DataByType[Type] };

/** A message of a type that is newer than the client. It may be ignored. */
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

/** The message that a body holds, typed; undefined if it holds none. The `data` of a type is not checked. */
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
