import { Problem } from '../../api/problem.ts';
import { parseKey } from '../../domain/api-keys/api-key.ts';
import type { MiddlewareFactory } from '../call.ts';
import { headerValues } from '../header-values.ts';

/** Takes exactly one `x-api-key` whose shape and checksum are right; anything else is refused before it costs a read. */
export const presentedKey: MiddlewareFactory = () => ({
  before: ({ event, context }) => {
    const values = headerValues(event, 'x-api-key');
    if (values.every((value) => value === '')) throw new Problem('api-key-missing');
    const parsed = values.length === 1 ? parseKey(values[0] as string) : undefined;
    if (!parsed) throw new Problem('api-key-invalid');
    context.call.presentedKey = parsed;
  },
});
