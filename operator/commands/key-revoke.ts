import { deleteApiKey } from '../../lambdas/data/api-keys/api-key-deletion.ts';
import { findApiKey, readTakenSlots } from '../../lambdas/data/api-keys/api-keys.ts';
import { isValidAt } from '../../lambdas/domain/api-keys/api-key.ts';
import { companyId, idOf } from '../cli/arguments.ts';
import { changeOutput, changeView, makeChange } from '../cli/change.ts';
import { defineCommand } from '../cli/command.ts';
import { OperatorError } from '../errors/operator-error.ts';

export const keyRevoke = defineCommand({
  noun: 'key',
  verb: 'revoke',
  summary: 'Delete a key, the last valid one included; it fails with the next request',
  arguments: { companyId, keyId: { summary: 'as in key list', schema: idOf('key') } },
  options: {},
  changes: true,
  requirements: {
    tableActions: {
      ApiKeys: ['ConditionCheckItem', 'DeleteItem', 'Query'],
      AuditLog: ['PutItem'],
    },
  },
  confirmedBy: ({ keyId }) => keyId,
  output: changeOutput,
  run: async (context, input) => {
    const { store } = await context.connect();
    const key = await findApiKey(store, input.companyId, input.keyId);
    if (!key) throw notThere(input);
    const state = isValidAt(key, context.nowMs) ? 'valid' : 'expired';
    const taken = await readTakenSlots(store, input.companyId, context.nowMs);
    if (taken.every(({ keyId }) => keyId === key.keyId) && state === 'valid')
      context.talk(
        `It is the last valid key of ${input.companyId}: nothing works for them until key issue ${input.companyId}.`,
      );
    const apply = async () => {
      const { outcome } = await deleteApiKey(store, await context.auditContext(input.companyId), input.keyId);
      if (outcome !== 'deleted') throw notThere(input);
    };
    const differences = [{ what: `key ${key.keyId}`, before: state, after: null }];
    return makeChange(context, { companyId: input.companyId, differences, apply });
  },
  view: changeView,
});

const notThere = (ids: { readonly companyId: string; readonly keyId: string }) =>
  new OperatorError(
    'not-found',
    `${ids.companyId} has no key ${ids.keyId}; perhaps it is deleted already. See which it has: key list ${ids.companyId}.`,
  );
