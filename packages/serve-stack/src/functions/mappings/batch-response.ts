import type { Outcome } from '../runtime-api.ts';

/**
 * Tells which items of a batch have failed, by their ids: with ReportBatchItemFailures those that the function names, or
 * all if its answer makes no sense, as Lambda reads it.
 */
export const failedItems = (
  outcome: Outcome,
  ids: readonly string[],
  reportsFailures: boolean,
): ReadonlySet<string> => {
  if (outcome.kind === 'failure') return new Set(ids);
  if (!reportsFailures) return new Set();
  const named = namedFailures(outcome.payload);
  return new Set(named?.every((id) => ids.includes(id)) ? named : ids);
};

/** Gives nothing where the answer is none that Lambda understands. */
const namedFailures = (payload: string): string[] | undefined => {
  const answer: unknown = JSON.parse(payload);
  if (answer === null) return [];
  if (typeof answer !== 'object') return undefined;
  const { batchItemFailures = [] } = answer as { batchItemFailures?: unknown };
  if (batchItemFailures === null) return [];
  if (!Array.isArray(batchItemFailures)) return undefined;
  return batchItemFailures.map((item) => String(item?.itemIdentifier ?? ''));
};
