import type { AuditRow } from '../data/audit.ts';
import type { StoredApiKey } from '../domain/api-key.ts';
import { resourceOf, shownPartOf, shownValues } from '../domain/audit-visibility.ts';
import type { Viewer } from '../domain/feed-event.ts';

/** What decides how a change is shown: the company's contract with its owner, and the existing keys of the company. */
type Shown = { readonly viewer: Viewer; readonly keys: readonly StoredApiKey[] };

/** Returns a change as its company sees it. The operator's reason, and the person behind a change, are not part of it. */
export const auditEntryBody = (row: AuditRow, { viewer, keys }: Shown) => {
  const { at, operation, actorKeyId, requestId, userId, gatewayId } = row;
  const part = shownPartOf(row, viewer);
  const hasIds = part !== 'without-ids';
  const valuesOf = (when: 'before' | 'after') => (part === 'all' ? sorted(shownValues(row, when)) : null);
  return {
    at,
    operation,
    actor: actorKeyId === null ? ('operator' as const) : ('key' as const),
    actorKeyId,
    actorKeyLabel: keys.find(({ keyId }) => keyId === actorKeyId)?.label ?? null,
    requestId,
    ...(hasIds && userId !== undefined && { userId }),
    ...(hasIds && gatewayId !== undefined && { gatewayId }),
    resource: hasIds ? resourceOf(row) : null,
    before: valuesOf('before'),
    after: valuesOf('after'),
    withheld: part !== 'all',
  };
};

/** Returns a value with all properties sorted by name, since the store does not keep their order. */
const sorted = <Value>(value: Value): Value => {
  if (Array.isArray(value)) return value.map(sorted) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, each]) => [name, sorted(each)]),
  ) as Value;
};
