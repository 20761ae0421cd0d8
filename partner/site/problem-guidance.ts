import type { ProblemCode } from '../../lambdas/api/problems.ts';

type Note = {
  readonly cause: string;
  /** Shell lines that bring it about in the demo world, with what the guide has defined; none where no partner can. */
  readonly provokedBy?: string;
};

/** What the guide adds to each problem's own words, which say what happened and what to do. */
export const problemGuidance: Readonly<Record<ProblemCode, Note>> = {
  'invalid-request': {
    cause:
      'An id in the path, a parameter of the query, a header or a property of the body is not what the reference says. `errors` names each, with a JSON pointer. A property that the body should not have is an error too: it may be a spelling mistake.',
    provokedBy: 'as acme "$BASE_URL/hvacs?limit=0"',
  },
  'user-id-missing': {
    cause: 'The operation acts for an owner, and the request does not say for whom.',
    provokedBy: 'curl --silent --header "x-api-key: $API_KEY" "$BASE_URL/hvacs"',
  },
  'api-key-missing': {
    cause: 'There is no header `x-api-key`. A key in the query, in a cookie or in `Authorization` is not looked at.',
    provokedBy: 'curl --silent "$BASE_URL/contract"',
  },
  'api-key-invalid': {
    cause:
      'The key was deleted, or cut or changed on its way, or the header is there twice. The service does not say which, so that nobody learns from guessing.',
    provokedBy: `curl --silent --header 'x-api-key: made-up' "$BASE_URL/contract"`,
  },
  'api-key-expired': {
    cause: 'The key is right in every other respect, and its time is over.',
    provokedBy: 'curl --silent --header "x-api-key: $(demo acme.expiredApiKey)" "$BASE_URL/contract"',
  },
  'source-address-not-allowed': {
    cause:
      'The address that your request arrives from is not one that is registered for your company. It may be that of a proxy or of a new network exit. `X-Forwarded-For` is not looked at.',
    provokedBy: 'as acme --interface 127.0.0.3 "$BASE_URL/contract"',
  },
  'company-suspended': {
    cause: 'The operator has stopped all access of your company. Your keys are kept.',
  },
  'contract-not-active': {
    cause: 'Your company’s contract has ended. Keys and contract can still be read.',
    provokedBy: 'as initech "$BASE_URL/hvacs"',
  },
  'user-id-mismatch': {
    cause: 'The value of `x-user-id` is not the `userId` of your contract, or the header is there twice.',
    provokedBy: `curl --silent --header "x-api-key: $API_KEY" --header 'x-user-id: nobody' "$BASE_URL/hvacs"`,
  },
  'gateway-not-in-contract': {
    cause:
      'Your contract does not cover the gateway. A gateway that does not exist is the same answer, so that nobody learns which there are.',
    provokedBy: `as acme "$BASE_URL/hvacs/$(demo 'globex.gateways[0].gatewayId')"`,
  },
  'consent-outdated': {
    cause:
      'The operator’s terms have changed since the owner last agreed, or the owner has withdrawn. Your key and your contract are in order.',
    provokedBy: 'as globex "$BASE_URL/hvacs"',
  },
  'route-not-found': {
    cause: 'The method and the path are no operation: a spelling mistake, often, or an id that is empty.',
    provokedBy: 'as acme "$BASE_URL/nowhere"',
  },
  'api-key-not-found': {
    cause: 'The key was deleted before, perhaps by an earlier try of yours, or the id is wrong.',
    provokedBy: 'as acme --request DELETE "$BASE_URL/api-keys/nobodys-key"',
  },
  'contract-not-found': {
    cause: 'You have a key, and the operator has not finished your onboarding.',
  },
  'circuit-not-found': {
    cause: 'The gateway is yours, and has no circuit of this id. Heating and hot water have circuits of their own.',
    provokedBy: 'as acme "$BASE_URL/hvacs/$GATEWAY_ID/heatingCircuits/hc9"',
  },
  'time-program-not-found': {
    cause: 'The circuit is there, and has no time program of this id.',
    provokedBy: 'as acme "$BASE_URL/hvacs/$GATEWAY_ID/heatingCircuits/hc1/timePrograms/9"',
  },
  'api-key-limit-reached': {
    cause:
      'Keys that were created and not deleted add up, those among them whose answer was lost. Send an `Idempotency-Key` to have none of these.',
    provokedBy: `for each in 1 2 3 4 5 6 7 8 9 10; do
  as globex --request POST "$BASE_URL/api-keys"; sleep 0.3
done`,
  },
  'idempotency-key-spent': {
    cause: 'This is a repeat of a creation, and the key that it created has been deleted since.',
    provokedBy: `once() { as acme --request POST --header 'Idempotency-Key: 1' "$BASE_URL/api-keys"; }
as acme --request DELETE "$BASE_URL/api-keys/$(once | json keyId)"
once`,
  },
  'api-key-in-use': {
    cause: 'A key cannot delete itself: that could be your last one.',
    provokedBy: 'as acme --request DELETE "$BASE_URL/api-keys/$(demo acme.keyId)"',
  },
  'appliance-function-blocked': {
    cause:
      'The appliance protects itself, after a fault or while it is serviced, say. No limit of this API is behind it.',
    provokedBy: String.raw`THIRD_GATEWAY="$BASE_URL/hvacs/$(demo 'acme.gateways[2].gatewayId')"
as acme --request PUT "$THIRD_GATEWAY/heatingCircuits/hc1/timePrograms/1" \
  --header 'content-type: application/json' --data '{ "name": "None", "switchPoints": [] }'`,
  },
  'precondition-failed': {
    cause:
      'Somebody has desired for something else since you read what `If-Match` names; or you have, with a request whose answer was lost.',
    provokedBy: String.raw`as acme --request PATCH "$BASE_URL/hvacs/$GATEWAY_ID/heatingCircuits/hc1" --header 'if-match: "0"' \
  --header 'content-type: application/json' --data '{ "operationMode": "off" }'`,
  },
  'body-too-large': {
    cause: 'The body has more bytes than any request needs.',
    provokedBy: String.raw`as acme --request PATCH "$BASE_URL/hvacs/$GATEWAY_ID/heatingCircuits/hc2" \
  --header 'content-type: application/json' --data "$(printf %040000d 0)"`,
  },
  'unsupported-media-type': {
    cause: 'The request has a body and does not say that it is JSON.',
    provokedBy: `as acme --request PATCH "$BASE_URL/hvacs/$GATEWAY_ID/dhwCircuits/dhw1" --data 'operationMode=off'`,
  },
  'rate-limit-exceeded': {
    cause: 'Your company has spent the tokens of this very counter. Other operations and other paths are free to use.',
    provokedBy: `for each in 1 2; do
  as acme --request PUT "$BASE_URL/hvacs/$GATEWAY_ID/heatingCircuits/hc2/timePrograms/1"
done`,
  },
  throttled: {
    cause: 'All partners together send more than the service has been set up for, or someone floods it.',
  },
  'internal-error': {
    cause: 'A fault in the service. Whether a change was made is not known.',
  },
  'service-unavailable': {
    cause: 'The service, or the store behind it, did not answer in time. Whether a change was made is not known.',
  },
};
