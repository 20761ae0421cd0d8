import type { ProblemCode } from '../lambdas/api/problems.ts';

/** How each problem comes about, for readers of the guide. What happened and what to do are the problem's own words. */
export const problemCauses: Readonly<Record<ProblemCode, string>> = {
  'invalid-request':
    'An id in the path, a parameter of the query, a header or a property of the body is not what the reference says. `errors` names each, with a JSON pointer. A property that the body should not have is an error too: it may be a spelling mistake.',
  'user-id-missing': 'The operation acts for an owner, and the request does not say for whom.',
  'api-key-missing':
    'There is no header `x-api-key`. A key in the query, in a cookie or in `Authorization` is not looked at.',
  'api-key-invalid':
    'The key was deleted, or cut or changed on its way, or the header is there twice. The service does not say which, so that nobody learns from guessing.',
  'api-key-expired': 'The key is right in every other respect, and its time is over.',
  'source-address-not-allowed':
    'The address that your request arrives from is not one that is registered for your company. It may be that of a proxy or of a new network exit. `X-Forwarded-For` is not looked at.',
  'company-suspended': 'The operator has stopped all access of your company. Your keys are kept.',
  'contract-not-active': 'Your company’s contract has ended. Keys and contract can still be read.',
  'user-id-mismatch': 'The value of `x-user-id` is not the `userId` of your contract, or the header is there twice.',
  'gateway-not-in-contract':
    'Your contract does not cover the gateway. A gateway that does not exist is the same answer, so that nobody learns which there are.',
  'consent-outdated':
    'The operator’s terms have changed since the owner last agreed, or the owner has withdrawn. Your key and your contract are in order.',
  'route-not-found': 'The method and the path are no operation; often a wrong base URL or an id that is empty.',
  'api-key-not-found': 'The key was deleted before, perhaps by an earlier try of yours, or the id is wrong.',
  'contract-not-found': 'You have a key, and the operator has not finished your onboarding.',
  'circuit-not-found':
    'The gateway is yours, and has no circuit of this id. Heating and hot water have circuits of their own.',
  'time-program-not-found': 'The circuit is there, and has no time program of this id.',
  'api-key-limit-reached':
    'Keys that were created and not deleted add up, those among them whose answer was lost. Send an `Idempotency-Key` to have none of these.',
  'idempotency-key-spent': 'This is a repeat of a creation, and the key that it created has been deleted since.',
  'api-key-in-use': 'A key cannot delete itself: that could be your last one.',
  'appliance-function-blocked':
    'The appliance protects itself, after a fault or while it is serviced, say. No limit of this API is behind it.',
  'precondition-failed': 'Somebody has wished for something else since you read what `If-Match` names.',
  'body-too-large': 'The body has more bytes than any request needs.',
  'unsupported-media-type': 'The request has a body and does not say that it is JSON.',
  'rate-limit-exceeded':
    'Your company has spent the tokens of this very counter. Other operations and other paths are free to use.',
  throttled: 'All partners together send more than the service has been set up for, or someone floods it.',
  'internal-error': 'A fault in the service. Whether a change was made is not known.',
  'service-unavailable':
    'The service, or the store behind it, did not answer in time. Whether a change was made is not known.',
};
