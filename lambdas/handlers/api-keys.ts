import {
  apiKeyBody,
  cidrsProblem,
  createdApiKeyBody,
  keyLimitMembers,
  ownApiKeyBody,
  reusedValueProblem,
} from '../answers/api-keys.ts';
import { pageAnswer, pageStart } from '../answers/pages.ts';
import { Problem } from '../api/problems.ts';
import { apiStage } from '../api/version.ts';
import { serve } from '../chain/serve.ts';
import { createApiKeyOnce, createApiKey as createKey } from '../data/api-keys/api-key-creation.ts';
import { deleteApiKey as deleteKey } from '../data/api-keys/api-key-deletion.ts';
import { deleteWithDescendants } from '../data/api-keys/api-key-descendants.ts';
import { listApiKeys as readKeys, readTakenSlots } from '../data/api-keys/api-keys.ts';
import { optionsOf, type StoredApiKey } from '../domain/api-key.ts';

export const createApiKey = /* @__PURE__ */ serve(
  'createApiKey',
  async ({ store, auditContext, presentedKey, key: keyInUse, company, idempotencyKey, body }) => {
    const problem = body.allowedCidrs && cidrsProblem(body.allowedCidrs, company, keyInUse);
    if (problem) return problem;
    const options = optionsOf(body, keyInUse);
    const creation =
      idempotencyKey === undefined
        ? await createKey(store, auditContext, options)
        : await createApiKeyOnce(store, auditContext, presentedKey, { value: idempotencyKey, options });
    if (creation.outcome === 'idempotency-key-reused') return reusedValueProblem(creation.earlier);
    if (creation.outcome === 'api-key-limit-reached')
      return new Problem(creation.outcome, keyLimitMembers(creation.takenSlots));
    if (creation.outcome !== 'created' && creation.outcome !== 'shown-again') return new Problem(creation.outcome);

    const { key, outcome } = creation;
    return {
      headers: { Location: `/${apiStage}/api-keys/${key.keyId}` },
      body: createdApiKeyBody(key, options),
      isRepeat: outcome === 'shown-again',
    };
  },
);

export const listApiKeys = /* @__PURE__ */ serve('listApiKeys', async (call) => {
  const { store, key, query, nowMs } = call;
  const start = pageStart(call);
  if (start instanceof Problem) return start;
  const { keys, next } = await readKeys(store, key.companyId, query.limit, start);
  const itemOf = (each: StoredApiKey) => apiKeyBody(each, key, nowMs);
  return pageAnswer(call, keys, { itemOf, positionOf: ({ keyId }) => keyId, next });
});

export const getOwnApiKey = /* @__PURE__ */ serve('getOwnApiKey', async ({ store, key, company, sourceIp, nowMs }) => ({
  body: ownApiKeyBody(key, sourceIp, await readTakenSlots(store, key.companyId, nowMs), company),
}));

export const deleteApiKey = /* @__PURE__ */ serve(
  'deleteApiKey',
  async ({ store, auditContext, key, pathIds: { keyId }, query: { descendants } }) => {
    if (keyId === key.keyId) return new Problem('api-key-in-use');

    const deletion = descendants === 'true' ? deleteWithDescendants : deleteKey;
    const { outcome } = await deletion(store, auditContext, keyId);
    if (outcome === 'api-key-in-use') return new Problem(outcome, { detail: ofFamilyInUse });
    return outcome === 'deleted' ? { body: undefined } : new Problem(outcome);
  },
);

const ofFamilyInUse =
  'The key in use was created with the key to delete, or with one that it created, so it would delete itself. Nothing was deleted. Send the request with a key that was not: the operator can issue one.';
