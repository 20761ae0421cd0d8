import type * as z from 'zod/mini';
import { apiKeyProblemDocs, apiKeyProblems } from './problems/api-key-problems.ts';
import { applianceProblemDocs, applianceProblems } from './problems/appliance-problems.ts';
import { contractProblemDocs, contractProblems } from './problems/contract-problems.ts';
import type { ProblemDefinition } from './problems/definition.ts';
import { feedProblemDocs, feedProblems } from './problems/feed-problems.ts';
import { requestProblemDocs, requestProblems } from './problems/request-problems.ts';
import { serviceProblemDocs, serviceProblems } from './problems/service-problems.ts';
import { webhookProblemDocs, webhookProblems } from './problems/webhook-problems.ts';

/** Every answer that is not a success, API Gateway's own included. */
export const problems = {
  ...requestProblems,
  ...apiKeyProblems,
  ...contractProblems,
  ...applianceProblems,
  ...feedProblems,
  ...webhookProblems,
  ...serviceProblems,
} as const satisfies Record<string, ProblemDefinition>;

/** What partners read about each problem beyond its definition; no function calls it. */
export const problemDocs = () => ({
  ...requestProblemDocs(),
  ...apiKeyProblemDocs(),
  ...contractProblemDocs(),
  ...applianceProblemDocs(),
  ...feedProblemDocs(),
  ...webhookProblemDocs(),
  ...serviceProblemDocs(),
});

export type ProblemCode = keyof typeof problems;

/** The extension members that an occurrence of a problem has to bring. */
export type ProblemMembers<Code extends ProblemCode> = (typeof problems)[Code] extends {
  members: () => infer Members extends Record<string, z.ZodMiniType>;
}
  ? { [Name in keyof Members]: z.output<Members[Name]> }
  : unknown;

/** The headers that an occurrence of a problem has to bring, and those that it may. */
export type ProblemHeaders<Code extends ProblemCode> = (typeof problems)[Code] extends { ownHeaders: infer Own }
  ? { readonly [Name in keyof Own as Own[Name] extends 'always' ? Name : never]: string } & {
      readonly [Name in keyof Own]?: string;
    }
  : undefined;
