import { operations } from './generated/operations.ts';
import type { OperationId } from './operation-types.ts';

/** What the client has to know of an operation when it runs. */
export type Operation = {
  readonly method: string;
  /** The path behind the base URL, with the names of its ids in braces. */
  readonly path: string;
  readonly needsUserId: boolean;
  readonly successStatus: number;
  readonly problemCodes: readonly string[];
};

export const operationOf = (operationId: OperationId): Operation => {
  if (Object.hasOwn(operations, operationId)) return operations[operationId];
  throw new TypeError(`There is no operation ${operationId}. Its name is an operationId of the API document.`);
};
