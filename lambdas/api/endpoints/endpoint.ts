import type * as z from 'zod/mini';
import type { MacKeyName, SettingName } from '../environment.ts';
import type { RatePolicyName } from '../limits.ts';
import type { ChangeMetric } from '../metrics.ts';
import type { ProblemCode } from '../problems.ts';
import type { QueueActions } from '../queues.ts';
import type { Schema } from '../schemas/common.ts';
import type { TableActions } from '../tables.ts';
import type { FamilyName } from './circuit-endpoints.ts';

/** What it takes to read the contracts of a company. */
export const ofContracts = { Contracts: ['BatchGetItem'], 'Contracts/index/byCompany': ['Query'] } as const;

export type PreloadedItem = 'gateway' | 'circuit' | 'timeProgram' | 'holiday';

/** What some part of a request's way can answer and what it needs; API document, IAM grants and environment follow from it. */
export type Requirements = {
  readonly problems: readonly ProblemCode[];
  readonly tableActions: TableActions;
  readonly settings: readonly SettingName[];
  /** Lists the keys of KMS that it has codes computed with. */
  readonly macKeys: readonly MacKeyName[];
};

/** Everything that is known about an endpoint before a request arrives. Its requirements are those beyond its chain's. */
export type Endpoint = Partial<Requirements> & {
  readonly summary: string;
  readonly method: 'DELETE' | 'GET' | 'PATCH' | 'POST' | 'PUT';
  readonly path: `/${string}`;
  readonly ratePolicy: RatePolicyName;
  /** Marks remote control: the request acts for the owner named in `x-user-id`. */
  readonly onBehalfOfUser?: true;
  /** Lets a request name, in the same header, the owner whose contract it is about. */
  readonly userId?: 'optional';
  /** Names the circuits that the path is about. */
  readonly family?: FamilyName;
  /** Lists what the lookup brings along of the appliance that the path names; the chain answers 404 for what is missing. */
  readonly preloads?: readonly PreloadedItem[];
  /** Lets a repeat say, in the header `Idempotency-Key`, that it is one. */
  readonly idempotencyKey?: 'optional';
  /** Lets a change depend, in the header `If-Match`, on the version that was read. */
  readonly ifMatch?: 'optional';
  readonly query?: () => z.ZodMiniObject;
  /** Describes a JSON body; an endpoint without one ignores what is sent. */
  readonly body?: Schema;
  /** Lets a request come without its body, which then counts as `{}`. */
  readonly isBodyOptional?: true;
  /** Counts a success that changed something; a repeat that shows again what was made is counted apart. */
  readonly countedAs?: ChangeMetric;
  readonly queueActions?: QueueActions;
  /** How long its function may take, if that is longer than others may. */
  readonly timeoutSeconds?: number;
  readonly success: Success;
};

export type Success = {
  readonly status: 200 | 201 | 202 | 204;
  readonly body?: Schema;
  /** Headers beyond those of every answer. */
  readonly headers?: readonly SuccessHeader[];
};

export type SuccessHeader = 'ETag' | 'Location' | 'x-poll-interval';

/** `'/api-keys/{keyId}'` → `'keyId'`. */
export type PathParameter<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameter<Rest>
  : never;

/** `'/api-keys/{keyId}'` → `['keyId']`. */
export const pathParametersOf = (path: string): string[] =>
  Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name as string);
