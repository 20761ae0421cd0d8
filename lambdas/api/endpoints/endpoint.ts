import type { Setting } from '../environment-variables.ts';
import type { MetricName } from '../metrics.ts';
import type { ProblemCode } from '../problems.ts';
import type { RatePolicyName } from '../rate-policies.ts';
import type { Schema } from '../schemas/common.ts';
import type { TableActions } from '../tables.ts';
import type { FamilyName } from './circuit-families.ts';

export type PreloadedItem = 'gateway' | 'circuit' | 'timeProgram';

/** What some part of a request's way can answer and what it needs; API document, IAM grants and environment follow from it. */
export type Requirements = {
  readonly problems: readonly ProblemCode[];
  readonly tableActions: TableActions;
  readonly settings: readonly Setting[];
};

/** Everything that is known about an endpoint before a request arrives. Its requirements are those beyond its chain's. */
export type Endpoint = Requirements & {
  readonly summary: string;
  readonly method: 'DELETE' | 'GET' | 'PATCH' | 'POST' | 'PUT';
  readonly path: `/${string}`;
  readonly ratePolicy: RatePolicyName;
  /** Remote control: acts for the owner named in `x-user-id`. */
  readonly onBehalfOfUser: boolean;
  /** The circuits that the path is about. */
  readonly family?: FamilyName;
  /** What the batch read brings along of the appliance that the path names. */
  readonly preloads?: readonly PreloadedItem[];
  /** Whether a repeat can say, in the header `Idempotency-Key`, that it is one. */
  readonly idempotencyKey?: 'optional';
  readonly query?: Schema;
  /** Of JSON; a row without one ignores the body. */
  readonly body?: Schema;
  /** A success that changed something counts here too; a repeat that only reads does not. */
  readonly countedAs?: MetricName;
  readonly success: Success;
};

export type Success = {
  readonly status: 200 | 201 | 202 | 204;
  readonly body?: Schema;
  /** Beyond those of every answer. */
  readonly headers?: readonly SuccessHeader[];
};

export type SuccessHeader = 'ETag' | 'Location';

/** `'/api-keys/{keyId}'` → `'keyId'`. */
export type PathParameter<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameter<Rest>
  : never;

/** `'/api-keys/{keyId}'` → `['keyId']`. */
export const pathParametersOf = (path: string): string[] =>
  Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name as string);
