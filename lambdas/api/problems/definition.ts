import type * as z from 'zod/mini';
import type { Descriptions, Values } from '../schemas/common.ts';

type Members = () => Readonly<Record<string, z.ZodMiniType>>;

/** An answer that is not a success, as the service and API Gateway send it. */
export type ProblemDefinition = {
  readonly status: number;
  /** What happened: the same text for every occurrence. */
  readonly title: string;
  /** What to do, unless an occurrence has a detail of its own. */
  readonly detail: string;
  /** The extension members beyond those of RFC 9457. */
  readonly members?: Members;
  readonly headers?: Readonly<Record<string, string>>;
  /** The headers whose value comes from the occurrence. */
  readonly ownHeaders?: Readonly<Record<string, 'always' | 'where known'>>;
};

/**
 * What the API document and the guide say about each problem beyond its definition. No function loads it: the bundler
 * leaves out what no handler calls.
 */
export type ProblemDocs<Definitions extends Readonly<Record<string, ProblemDefinition>>> = {
  readonly [Code in keyof Definitions]: Guidance & MemberDocs<Definitions[Code]>;
};

type Guidance = { readonly cause: string } & (
  | {
      /** Shell lines that cause the problem in the demo world, with what the guide has defined. */
      readonly provokedBy: string;
    }
  | {
      /** For a problem that no partner can cause: the person or the thing that can. */
      readonly onlyCausedBy: string;
    }
);

type MemberDocs<Definition> = Definition extends { readonly members: infer Of extends Members }
  ? {
      readonly example: Values<ReturnType<Of>> & { readonly detail?: string };
      readonly members: Descriptions<Values<ReturnType<Of>>>;
    }
  : { readonly example?: { readonly detail: string } };
