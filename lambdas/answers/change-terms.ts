import { invalidRequest, type Problem } from '../api/problems.ts';
import { pointerTo } from '../api/schemas/common.ts';
import { validUntilFault } from '../domain/open-change.ts';

type WithTerms = { readonly validUntil?: string | undefined };

/** A call with the settings alone in its body, and the time until which they are worth applying. */
type Termed<Call extends { readonly body: WithTerms }> = Omit<Call, 'body'> & {
  readonly body: Omit<Call['body'], keyof WithTerms>;
  readonly validUntilMs: number | undefined;
};

/** Separates the settings in the body of a change from its `validUntil`. Returns a problem if that is not a time that it may be. */
export const withTerms = <Call extends { readonly body: WithTerms; readonly nowMs: number }, Result>(
  call: Call,
  change: (call: Termed<Call>) => Result,
): Result | Problem<'invalid-request'> => {
  const { validUntil, ...body } = call.body;
  const validUntilMs = validUntil === undefined ? undefined : Date.parse(validUntil);
  const fault = validUntilMs === undefined ? undefined : validUntilFault(validUntilMs, call.nowMs);
  if (fault) return invalidRequest([{ pointer: pointerTo('body', 'validUntil'), detail: fault }]);
  return change({ ...call, body, validUntilMs } as Termed<Call>);
};
