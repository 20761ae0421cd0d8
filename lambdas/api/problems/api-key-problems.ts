import * as z from 'zod/mini';
import { maxValidKeysPerCompany } from '../limits.ts';
import { apiKeyReference, apiKeyReferenceDocs } from '../schemas/api-key.ts';
import { count } from '../schemas/common.ts';
import type { ProblemDefinition, ProblemDocs } from './definition.ts';

const unauthorized = { status: 401, headers: { 'WWW-Authenticate': 'ApiKey realm="partner-api"' } } as const;

/** Refusals because of the authenticating key, and refusals of operations on keys. */
export const apiKeyProblems = {
  'api-key-missing': {
    ...unauthorized,
    title: 'The API key is missing',
    detail: 'Send your API key in the header x-api-key.',
  },
  'api-key-invalid': {
    ...unauthorized,
    title: 'The API key is not valid',
    detail:
      'Send exactly one x-api-key header with a whole key, exactly as the service returned it, that was not deleted.',
  },
  'api-key-expired': {
    ...unauthorized,
    title: 'The API key has expired',
    detail: 'Use another valid key. If you have none, ask the operator for a manual renewal.',
  },
  'api-key-read-only': {
    status: 403,
    title: 'The API key may only read',
    detail: 'Send the request with a key whose `access` is `full`. The key in use may only call GET operations.',
  },
  'api-key-not-found': {
    status: 404,
    title: 'The API key does not exist',
    detail: 'Your company has no key with this keyId. GET /api-keys lists your keys.',
  },
  'api-key-limit-reached': {
    status: 409,
    title: 'The company has the highest allowed number of valid keys',
    detail: 'Delete one of `validKeys` that you no longer need, then create the new key.',
    members: () => ({
      validKeys: z.array(apiKeyReference()).check(z.maxLength(maxValidKeysPerCompany)),
      maxValidKeys: count(maxValidKeysPerCompany),
    }),
  },
  'idempotency-key-spent': {
    status: 409,
    title: 'The API key that this Idempotency-Key created was used or deleted',
    detail:
      'The service created nothing, and does not show a key again after its first use. To create another API key, send the request with a new Idempotency-Key. If neither you nor your colleagues used or deleted that key, treat the key in use as leaked.',
  },
  'api-key-in-use': {
    status: 409,
    title: 'The key to delete authenticates this request',
    detail: 'Send the request with another valid key, so that you keep one that works.',
  },
} as const satisfies Record<string, ProblemDefinition>;

export const apiKeyProblemDocs = (): ProblemDocs<typeof apiKeyProblems> => ({
  'api-key-missing': {
    cause:
      'The request has no header `x-api-key`. The service ignores a key in the query, in a cookie or in `Authorization`.',
    provokedBy: 'curl --silent "$BASE_URL/contract"',
  },
  'api-key-invalid': {
    cause:
      'The key was deleted, was truncated or modified, or the request has the header twice. The service does not state which, so that keys cannot be found by guessing.',
    provokedBy: `curl --silent --header 'x-api-key: made-up' "$BASE_URL/contract"`,
  },
  'api-key-expired': {
    cause: 'The key is valid in every other respect, but its lifetime has ended.',
    provokedBy: 'curl --silent --header "x-api-key: $(demo acme.expiredApiKey)" "$BASE_URL/contract"',
  },
  'api-key-read-only': {
    cause:
      'The key was created with `access` `read`, and the method of the request is not GET. Nothing was changed, and the request cost no token.',
    provokedBy: `READ_KEY=$(as acme --request POST "$BASE_URL/api-keys" \\
  --header 'content-type: application/json' --data '{"access": "read"}' | json apiKey)
curl --silent --header "x-api-key: $READ_KEY" --request POST "$BASE_URL/api-keys"`,
  },
  'api-key-not-found': {
    cause: 'The key was already deleted, perhaps by an earlier attempt of yours, or the id is wrong.',
    provokedBy: 'as acme --request DELETE "$BASE_URL/api-keys/nobodys-key"',
  },
  'api-key-limit-reached': {
    cause:
      'Your company created keys and did not delete them. The responses to some creations may have been lost; an `Idempotency-Key` prevents such extra keys.',
    provokedBy: `for each in 1 2 3 4 5 6 7 8 9 10; do
  as globex --request POST "$BASE_URL/api-keys"; sleep 0.3
done`,
    example: { validKeys: [apiKeyReferenceDocs().example], maxValidKeys: maxValidKeysPerCompany },
    members: {
      validKeys: { description: 'The valid keys of the company.', properties: apiKeyReferenceDocs().properties },
      maxValidKeys: `The number of valid keys that a company may have: ${maxValidKeysPerCompany}.`,
    },
  },
  'idempotency-key-spent': {
    cause:
      'The request repeats a creation, and the key that the first request created has been used or deleted since. The service shows a key again only until its first use, so that a thief of the old key cannot fetch the new key later.',
    provokedBy: `once() { as acme --request POST --header 'Idempotency-Key: 1' "$BASE_URL/api-keys"; }
as acme --request DELETE "$BASE_URL/api-keys/$(once | json keyId)"
once`,
  },
  'api-key-in-use': {
    cause:
      'A key cannot delete itself, because it could be your last key. With `descendants=true`, it also cannot delete a key from which it descends.',
    provokedBy: 'as acme --request DELETE "$BASE_URL/api-keys/$(demo acme.keyId)"',
  },
});
