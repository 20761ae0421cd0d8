import type * as z from 'zod/mini';
import type { MacKeyName, SettingName } from '../environment.ts';
import type { RatePolicyName } from '../limits.ts';
import type { ChangeMetric } from '../metrics.ts';
import type { ProblemCode } from '../problems.ts';
import type { QueueActions } from '../queues.ts';
import type { Schema } from '../schemas/common.ts';
import type { TableActions } from '../tables.ts';
import type { FamilyName } from './circuit-endpoints.ts';

export type PreloadedItem = 'gateway' | 'circuit' | 'timeProgram' | 'holiday';

/**
 * What a part of a request's handling can answer and what it needs. The API document, IAM grants and the environment are
 * derived from it.
 */
export type Requirements = {
  readonly problems: readonly ProblemCode[];
  readonly tableActions: TableActions;
  readonly settings: readonly SettingName[];
  /** The KMS keys that it computes codes with. */
  readonly macKeys: readonly MacKeyName[];
};

/** The definition of an endpoint. Its requirements are those beyond its stages' requirements. */
export type Endpoint = Partial<Requirements> & {
  /** The title of the operation: a verb and a noun, without a full stop. */
  readonly summary: string;
  /** What the operation does, in one or two sentences. */
  readonly description: string;
  readonly method: 'DELETE' | 'GET' | 'PATCH' | 'POST' | 'PUT';
  /** HEAD gets the same status and headers as GET, without a body. */
  readonly acceptsHead?: true;
  readonly path: `/${string}`;
  readonly ratePolicy: RatePolicyName;
  /** Marks remote control: the request acts for the owner named in `x-user-id`. */
  readonly onBehalfOfUser?: true;
  /** The request may name, in `x-user-id`, the owner whose contract it is about. */
  readonly userId?: 'optional';
  /** The family of the circuits in the path. */
  readonly family?: FamilyName;
  /**
   * The items of the path's appliance that the lookup also reads. For a missing item, the chain answers 404, or 409 for a
   * holiday.
   */
  readonly preloads?: readonly PreloadedItem[];
  /** A retry can identify itself with the header `Idempotency-Key`. */
  readonly idempotencyKey?: 'optional';
  /** The header `If-Match` can make a change conditional on the version that was read. */
  readonly ifMatch?: 'optional';
  readonly query?: () => z.ZodMiniObject;
  /** The schema of a JSON body; an endpoint without a schema ignores the body. */
  readonly body?: Schema;
  /** The body may be absent, and then counts as `{}`. */
  readonly isBodyOptional?: true;
  /** The metric of successes that changed something; a retry that returns an earlier result is counted separately. */
  readonly countedAs?: ChangeMetric;
  readonly queueActions?: QueueActions;
  /** The timeout of its function, if that is longer than the default. */
  readonly timeoutSeconds?: number;
  readonly success: Success;
};

export type Success = {
  readonly status: 200 | 201 | 202 | 204;
  readonly body?: Schema;
  /** Headers in addition to those of every answer. */
  readonly headers?: readonly SuccessHeader[];
};

export type SuccessHeader = 'ETag' | 'Location' | 'x-poll-interval';

/** Returns the methods of an endpoint's path that invoke its function. */
export const methodsOf = ({ method, acceptsHead }: Pick<Endpoint, 'method' | 'acceptsHead'>) =>
  acceptsHead ? ([method, 'HEAD'] as const) : ([method] as const);

/** `'/api-keys/{keyId}'` → `'keyId'`. */
export type PathParameter<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameter<Rest>
  : never;

/** `'/api-keys/{keyId}'` → `['keyId']`. */
export const pathParametersOf = (path: string): string[] =>
  Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name as string);
