import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endpoints, handlerFileOf, type OperationId, operationIds } from '../../lambdas/api/endpoints/endpoints.ts';
import { ratePolicies } from '../../lambdas/api/limits.ts';
import { problemDocs, problems } from '../../lambdas/api/problems.ts';

/** The tables that refer to one another, and the handlers that they require. */
type Parts = {
  readonly endpoints: Readonly<Record<string, { readonly ratePolicy: string }>>;
  readonly ratePolicies: object;
  readonly problems: object;
  readonly problemDocs: object;
  /** By operation id: the handler's file, and whether the handler exists. */
  readonly handlers: Readonly<Record<string, { readonly file: string; readonly isThere: boolean }>>;
};

/** Returns a sentence for each part that is started but not finished, with the file to edit. */
export const missingParts = (tables: Parts): string[] => {
  const rows = Object.entries(tables.endpoints);
  const policiesInUse = new Set(rows.map(([, { ratePolicy }]) => ratePolicy));
  return [
    ...rows
      .filter(([, { ratePolicy }]) => !Object.hasOwn(tables.ratePolicies, ratePolicy))
      .map(
        ([id, { ratePolicy }]) =>
          `The row of ${id} uses the rate policy "${ratePolicy}". Add it to lambdas/api/limits.ts, which has ${Object.keys(tables.ratePolicies).join(', ')}.`,
      ),
    ...Object.keys(tables.ratePolicies)
      .filter((policy) => !policiesInUse.has(policy))
      .map((policy) => `No row of lambdas/api/endpoints/endpoints.ts uses the rate policy "${policy}".`),
    ...Object.entries(tables.handlers)
      .filter(([, { isThere }]) => !isThere)
      .map(([id, { file }]) => `The operation ${id} has no handler. Export it from ${file}.`),
    ...Object.keys(tables.problems)
      .filter((code) => !Object.hasOwn(tables.problemDocs, code))
      .map(
        (code) =>
          `Nobody explains the problem ${code}. Add its cause below its definition in lambdas/api/problems/, to the function whose name ends with ProblemDocs.`,
      ),
  ];
};

/** Returns the parts of a clone of this repository. */
export const partsIn = (root: string): Parts => ({
  endpoints,
  ratePolicies,
  problems,
  problemDocs: problemDocs(),
  handlers: Object.fromEntries(operationIds.map((id) => [id, handlerOf(root, id)])),
});

const handlerOf = (root: string, operationId: OperationId) => {
  const file = handlerFileOf(operationId);
  const path = join(root, file);
  const isThere = existsSync(path) && readFileSync(path, 'utf8').includes(`\nexport const ${operationId} = `);
  return { file, isThere };
};
