import { invalidRequest, pointerTo } from '../../../api/invalid-request.ts';
import { expectedIdempotencyKey, parseIdempotencyKey } from '../../../domain/api-keys/idempotency-key.ts';
import { headerValues } from '../header-values.ts';
import type { Step } from '../step.ts';

/** Takes the `Idempotency-Key` if there is one. A wrong one is refused: ignored, it would make a repeat a second creation. */
export const idempotencyKey: Step<'idempotencyKey'> =
  () =>
  ({ event }) => {
    const values = headerValues(event, 'idempotency-key');
    if (values.length === 0) return { idempotencyKey: undefined };
    const value = values.length === 1 ? parseIdempotencyKey(values[0] as string) : undefined;
    if (value !== undefined) return { idempotencyKey: value };
    return invalidRequest([{ pointer: pointerTo('header', 'Idempotency-Key'), detail: expectedIdempotencyKey }]);
  };
