import type { APIGatewayProxyEvent } from 'aws-lambda';
import type * as z from 'zod/mini';
import type { chain, StepsOf } from '../../api/chain/chain.ts';
import type { FamilyName } from '../../api/endpoints/circuit-endpoints.ts';
import type { Endpoint, PathParameter } from '../../api/endpoints/endpoint.ts';
import type { ProblemCode } from '../../api/problems.ts';
import type { RatePolicyName } from '../../api/rate-policies.ts';
import type { Schema } from '../../api/schemas/common.ts';
import type { SettingName, Settings } from '../../api/settings.ts';
import type { AuditContext } from '../../data/audit/audit-log.ts';
import type { Lookup, Preloaded } from '../../data/lookup.ts';
import type { ProcessMemory } from '../../data/process-memory.ts';
import type { TokenDecision } from '../../data/rate-limits/token-buckets.ts';
import type { Store } from '../../data/store/store.ts';
import type { ApiKeyRecord, PresentedKey } from '../../domain/api-keys/api-key.ts';
import type { Circuit, Gateway, TimeProgram } from '../../domain/appliances/appliance.ts';
import type { Contract } from '../../domain/contract.ts';
import type { RateLimitKey } from '../../domain/rate-limits/rate-limit-key.ts';

/** What is known of a request before its first step. */
export type OpeningFacts = {
  readonly event: APIGatewayProxyEvent;
  /** API Gateway's extended id of the request, which no client can choose. */
  readonly requestId: string;
  /** API Gateway's clock when the request arrived: one clock for all functions. */
  readonly nowMs: number;
  /** This process's own clock at that moment, for what concerns this process alone. */
  readonly processTimeMs: number;
  readonly sourceIp: string;
  /** The store; it answers within the time that the whole request has. */
  readonly store: Store;
  /** What this process remembers of earlier requests. */
  readonly memory: ProcessMemory;
};

/** What the steps find out; the rows in `api/chain/chain.ts` say which step adds what. */
export type AddedFacts = {
  readonly presentedKey: PresentedKey;
  readonly pathIds: Readonly<Record<string, string>>;
  /** The record of the key if it was looked up by itself; undefined if this process remembers the key as valid. */
  readonly foundKey: ApiKeyRecord | undefined;
  /** A token that is being consumed while the lookup is under way; undefined if this process does not remember such a request. */
  readonly tokenAhead: { readonly rateLimitKey: RateLimitKey; readonly decision: Promise<TokenDecision> } | undefined;
  readonly lookup: Lookup;
  readonly rateLimitKey: RateLimitKey;
  /** The endpoint's own policy, or `general` for a gateway that the contract does not cover. */
  readonly ratePolicy: RatePolicyName;
  /** The key that authenticates the request. */
  readonly key: ApiKeyRecord;
  readonly contract: Contract;
  /** The arrival time of the request's token bucket as it was read, possibly stale; 0 if it has no record. */
  readonly seenArrivalMs: number;
  readonly tokenDecision: TokenDecision;
  /** Settles when the day of the key's use is noted, or when that has failed. */
  readonly keyUse: Promise<unknown>;
  readonly query: unknown;
  /** Undefined if the request does not bring one. */
  readonly idempotencyKey: string | undefined;
  /** The values of the header; none if there is no such header. */
  readonly ifMatch: readonly string[];
  readonly body: unknown;
  /** Settles when the items that the endpoint wants brought along are there, or when reading them has failed. */
  readonly preloaded: Promise<Preloaded>;
  readonly circuit: Circuit;
  readonly timeProgram: TimeProgram;
  readonly gateway: Gateway;
  readonly auditContext: AuditContext;
};

export type Facts = OpeningFacts & AddedFacts;

/** Facts as headers and event find them: a request may have been refused at any step. */
export type FactsSoFar = OpeningFacts &
  Partial<AddedFacts> & {
    /** Whether the handler has answered with what an earlier request made. */
    readonly isRepeat?: boolean;
  };

type Named<Row, Property extends string> = Row extends { readonly [Key in Property]: readonly (infer Name)[] }
  ? Name
  : never;

/** What a step reads, by its row. */
export type ReadBy<Row extends { readonly reads: readonly (keyof Facts)[] }> = Pick<Facts, Row['reads'][number]> &
  Partial<Pick<Facts, Named<Row, 'mayRead'> & keyof Facts>> &
  SettingsOf<Row>;

/** What a step adds, by its row; one that only checks adds nothing. */
export type AddedBy<Row> = [Named<Row, 'adds'>] extends [never]
  ? undefined
  : Pick<AddedFacts, Named<Row, 'adds'> & keyof AddedFacts>;

/** Compiles only if every fact that a row adds has its type in `AddedFacts`. */
export type FactWithoutType = None<Exclude<Named<(typeof chain)[number], 'adds'>, keyof AddedFacts>>;

type None<Names extends never> = Names;

/** The problems that a row lists. */
export type ProblemsOf<Row> = Named<Row, 'problems'> & ProblemCode;

type SettingsOf<Row> = { readonly settings: Pick<Settings, Named<Row, 'settings'> & SettingName> };

/** What a handler can count on when all steps of its endpoint have been passed. */
export type Call<Row extends Endpoint> = Omit<OpeningFacts, 'event'> &
  SettingsOf<Row> & {
    readonly [Fact in Named<StepsOf<Row>, 'adds'> & keyof AddedFacts]: Fact extends keyof FactsByRow<Row>
      ? FactsByRow<Row>[Fact]
      : AddedFacts[Fact];
  };

/** Facts whose type the endpoint's own row knows better. */
type FactsByRow<Row extends Endpoint> = {
  readonly pathIds: Readonly<Record<PathParameter<Row['path']>, string>>;
  readonly query: Output<Row['query']>;
  readonly body: Output<Row['body']>;
  readonly circuit: Circuit<FamilyOf<Row>>;
  readonly timeProgram: TimeProgram<FamilyOf<Row>>;
};

type FamilyOf<Row> = Row extends { readonly family: infer Family extends FamilyName } ? Family : never;

/** What a schema of a row lets through; undefined if the row has none. */
export type Output<OfRow> = OfRow extends Schema ? z.output<ReturnType<OfRow>> : undefined;
