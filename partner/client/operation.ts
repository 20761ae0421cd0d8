// If this module is missing, run `npm run generate`: it is not in git.
import { operations } from './generated/operations.ts';
import type { OperationId } from './operation-types.ts';

/** The facts about an operation that the client needs at run time. */
export type Operation = {
  readonly method: string;
  /** The path after the base URL, with the names of ids in braces. */
  readonly path: string;
  readonly needsUserId: boolean;
  readonly successStatus: number;
  readonly problemCodes: readonly string[];
};

export const operationOf = (operationId: OperationId): Operation => {
  if (Object.hasOwn(operations, operationId)) return operations[operationId];
  throw new TypeError(`There is no operation ${operationId}. Its name is an operationId of the API document.`);
};
