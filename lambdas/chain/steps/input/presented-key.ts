import { Problem } from '../../../api/problem.ts';
import { parseKey } from '../../../domain/api-keys/api-key.ts';
import { headerValues } from '../header-values.ts';
import type { Step } from '../step.ts';

/** Takes exactly one `x-api-key` whose shape and checksum are right; anything else is refused before it costs a read. */
export const presentedKey: Step<'presentedKey'> =
  () =>
  ({ event }) => {
    const values = headerValues(event, 'x-api-key');
    if (values.every((value) => value === '')) return new Problem('api-key-missing');
    const parsed = values.length === 1 ? parseKey(values[0] as string) : undefined;
    return parsed ? { presentedKey: parsed } : new Problem('api-key-invalid');
  };
