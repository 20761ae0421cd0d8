type OfWebhook = { readonly webhookId: string };

/** The `data` of a poke, by its type. */
type DataByType = {
  /** There is something to read in the feed. */
  'events.available': OfWebhook;
  /** The code goes back through `verifyWebhook`, from a process that has an API key. */
  'webhook.verify': OfWebhook & { readonly code: string };
  /** Asked for with `testWebhook`: there is nothing to do. */
  'webhook.test': OfWebhook;
};

export type PokeType = keyof DataByType;

/** A poke that is sent again keeps its `id`. `timestamp` is when this attempt was made: RFC 3339, UTC. */
type Common = { readonly id: string; readonly timestamp: string };

/** What the service sends to a webhook; `type` says what its `data` holds. */
export type Poke = { [Type in PokeType]: KnownPoke<Type> }[PokeType] | UnknownPoke;

type KnownPoke<Type extends PokeType> = Common & { readonly type: Type; readonly data: DataByType[Type] };

/** A poke of a type that is newer than the client. It may be ignored. */
export type UnknownPoke = Common & {
  readonly type: 'unknown-poke';
  readonly newType: string;
  readonly data: Readonly<Record<string, unknown>>;
};

const isKnown: Readonly<Record<PokeType, true>> = {
  'events.available': true,
  'webhook.verify': true,
  'webhook.test': true,
};

/** The poke that a body holds, typed; undefined if it holds none. The `data` of a type is not checked. */
export const pokeIn = (id: string, body: string): Poke | undefined => {
  const parsed = parsedObject(body);
  if (typeof parsed?.type !== 'string' || typeof parsed.timestamp !== 'string') return undefined;
  const { type, timestamp, data } = parsed;
  if (typeof data !== 'object' || data === null) return undefined;
  const isOfThisVersion = Object.hasOwn(isKnown, type);
  return { id, timestamp, data, ...(isOfThisVersion ? { type } : { type: 'unknown-poke', newType: type }) } as Poke;
};

const parsedObject = (text: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const parsed = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined;
  } catch {
    return undefined;
  }
};
