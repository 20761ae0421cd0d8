import type { Endpoint, PreloadedItem, Requirements } from '../endpoints/endpoint.ts';

/** Facts that are known of every request before its first step. `chain/facts.ts` has the types of all facts. */
type OpeningFact = 'event' | 'requestId' | 'nowMs' | 'processTimeMs' | 'sourceIp' | 'store' | 'memory';

/** Says which endpoints a step is for, as data, so that the compiler and the function decide alike. */
export type Condition =
  | { readonly has: 'onBehalfOfUser' | 'query' | 'idempotencyKey' | 'ifMatch' | 'body' }
  | { readonly pathHas: string }
  | { readonly preloads: PreloadedItem };

export type StepRow = Partial<Requirements> & {
  readonly name: string;
  readonly appliesTo?: Condition;
  /** Facts that the step needs. */
  readonly reads: readonly string[];
  /** Facts that only some endpoints have: those that a step with a condition adds. */
  readonly mayRead?: readonly string[];
  /** Facts that the steps behind it, the handler, headers and event can count on if it does not refuse. */
  readonly adds?: readonly string[];
};

/** Names the first step that reads what no step before it adds; `never` if there is none. */
type OrderFault<Rows extends readonly StepRow[], Known = OpeningFact, Maybe = never> = Rows extends readonly [
  infer Row extends StepRow,
  ...infer Rest extends readonly StepRow[],
]
  ? MissingFact<Row, Known, Maybe> extends infer Missing extends string
    ? [Missing] extends [never]
      ? Row extends { readonly appliesTo: Condition }
        ? OrderFault<Rest, Known, Maybe | AddedBy<Row>>
        : OrderFault<Rest, Known | AddedBy<Row>, Maybe>
      : `${Row['name']} reads ${Missing} before it is there`
    : never
  : never;

type MissingFact<Row extends StepRow, Known, Maybe> =
  | Exclude<Row['reads'][number], Known>
  | Exclude<MayReadBy<Row>, Known | Maybe>;

type AddedBy<Row> = Row extends { readonly adds: readonly (infer Name extends string)[] } ? Name : never;
type MayReadBy<Row> = Row extends { readonly mayRead: readonly (infer Name extends string)[] } ? Name : never;

export const inOrder = <const Rows extends readonly StepRow[]>(
  rows: [OrderFault<Rows>] extends [never] ? Rows : OrderFault<Rows>,
): Rows => rows as Rows;

/** Whether a step with this condition applies to an endpoint, by the type of its row. */
export type Applies<Where extends Condition, Row> = Where extends { readonly has: infer Name }
  ? Name extends keyof Row
    ? true
    : false
  : Where extends { readonly pathHas: infer Text extends string }
    ? Row extends { readonly path: `${string}${Text}${string}` }
      ? true
      : false
    : Where extends { readonly preloads: infer Item }
      ? Row extends { readonly preloads: readonly (infer Preloaded)[] }
        ? Item extends Preloaded
          ? true
          : false
        : false
      : never;

/** Whether a step with this condition applies to an endpoint. */
export const applies = (where: Condition | undefined, endpoint: Endpoint): boolean => {
  if (where === undefined) return true;
  if ('has' in where) return endpoint[where.has] !== undefined;
  if ('pathHas' in where) return endpoint.path.includes(where.pathHas);
  return endpoint.preloads?.includes(where.preloads) ?? false;
};
