import { deleteApiKey } from '../../../lambdas/data/api-keys/api-key-deletion.ts';
import { deleteWithDescendants, readKeyFamily } from '../../../lambdas/data/api-keys/api-key-descendants.ts';
import { findApiKey, readTakenSlots } from '../../../lambdas/data/api-keys/api-keys.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { isValidAt, type StoredApiKey } from '../../../lambdas/domain/api-key.ts';
import { companyId, defineCommand, flag, idOf } from '../../cli/command.ts';
import type { OperatorContext } from '../../cli/context.ts';
import { changeOutput, changeView, makeChange } from '../../cli/make-change.ts';
import { OperatorError } from '../../error.ts';

export const keyRevoke = defineCommand({
  noun: 'key',
  verb: 'revoke',
  summary: 'Delete a key, even the last valid key; the next request with the key is refused',
  arguments: { companyId, keyId: { summary: 'as in key list', schema: idOf('key') } },
  options: {
    withDescendants: flag('for a stolen key: also delete all keys that were created with it, directly or indirectly'),
  },
  changes: true,
  shownToCompany: true,
  requirements: {
    tableActions: {
      ApiKeys: ['ConditionCheckItem', 'DeleteItem', 'GetItem', 'Query'],
      AuditLog: ['BatchGetItem', 'PutItem'],
    },
  },
  confirmedBy: ({ keyId }) => keyId,
  output: changeOutput,
  run: async (context, { withDescendants, ...ids }) => {
    const { store } = await context.connect();
    const doomed = withDescendants ? await familyOf(store, context, ids) : await only(store, ids);
    if (doomed.length === 0) throw notThere(ids);
    await warnAboutLastKey(context, store, ids.companyId, doomed);
    const apply = async () => {
      const deletion = withDescendants ? deleteWithDescendants : deleteApiKey;
      const { outcome } = await deletion(store, await context.auditContext(ids.companyId), ids.keyId);
      if (outcome !== 'deleted') throw notThere(ids);
    };
    const differences = doomed.map((key) => ({
      what: `key ${key.keyId}${key.label === null ? '' : ` (${key.label})`}`,
      before: isValidAt(key, context.nowMs) ? 'valid' : 'expired',
      after: null,
    }));
    return makeChange(context, { companyId: ids.companyId, differences, apply });
  },
  view: changeView,
});

type Ids = { readonly companyId: string; readonly keyId: string };

const only = async (store: Store, ids: Ids): Promise<readonly StoredApiKey[]> => {
  const key = await findApiKey(store, ids.companyId, ids.keyId);
  return key ? [key] : [];
};

/** Returns the key and its current descendants. The deletion includes descendants that are created until then. */
const familyOf = async (store: Store, { nowMs }: OperatorContext, ids: Ids): Promise<readonly StoredApiKey[]> =>
  (await readKeyFamily(store, { ...ids, nowMs }, ids.keyId)).family;

const warnAboutLastKey = async (
  { nowMs, talk }: OperatorContext,
  store: Store,
  id: string,
  doomed: readonly StoredApiKey[],
): Promise<void> => {
  const valid = doomed.filter((key) => isValidAt(key, nowMs));
  const taken = await readTakenSlots(store, id, nowMs);
  const left = taken.filter((slot) => valid.every(({ keyId }) => keyId !== slot.keyId));
  const mattering = left.length === 0 ? valid : valid.filter(isFull);
  if (mattering.length === 0 || left.some(isFull)) return;
  const what = mattering.length === 1 ? 'It is the last valid key' : 'They are the last valid keys';
  talk(
    left.length === 0
      ? `${what} of ${id}: the company cannot call until key issue ${id}.`
      : `${what} of ${id} with full access: the company can only read, and cannot create keys, until key issue ${id}.`,
    'warning',
  );
};

const isFull = ({ access }: Pick<StoredApiKey, 'access'>): boolean => access === 'full';

const notThere = ({ companyId: id, keyId }: Ids) =>
  new OperatorError(
    'not-found',
    `${id} has no key ${keyId}; perhaps it is already deleted. To see its keys: key list ${id}.`,
  );
