import * as z from 'zod/mini';
import { count, url } from '../schemas/common.ts';
import type { ProblemDefinition, ProblemDocs } from './definition.ts';

/** Refusals because of the caller, the owner or their contract. */
export const contractProblems = {
  'user-id-missing': {
    status: 400,
    title: 'The user id is missing',
    detail: 'Send the header x-user-id with the userId of the owner, which GET /contracts lists.',
  },
  'source-address-not-allowed': {
    status: 403,
    title: 'The source address is not allowed',
    detail: 'Call from an address that is registered for your company, or ask the operator to register this one.',
  },
  'company-suspended': {
    status: 403,
    title: 'The company is suspended',
    detail: 'The operator has suspended your access. Ask the operator.',
  },
  'contract-not-active': {
    status: 403,
    title: 'The contract is not active',
    detail: 'The contract has ended and gives no access to appliances. Ask the operator.',
  },
  'user-id-mismatch': {
    status: 403,
    title: 'The user id is not the one in the contract',
    detail: 'Send exactly one x-user-id header with the userId of an owner whom GET /contracts lists.',
  },
  'gateway-not-in-contract': {
    status: 403,
    title: 'The gateway is not in the contract',
    detail: 'Use a gatewayId that GET /hvacs lists, or ask the operator to add the gateway to your contract.',
  },
  'contract-not-found': {
    status: 404,
    title: 'The company has no contract',
    detail: 'No contract is recorded for your company yet. Ask the operator.',
  },
  'consent-outdated': {
    status: 451,
    title: 'The owner has not accepted the latest consent version',
    detail: 'Ask the appliance owner to accept the latest consent version at `portalUrl`.',
    members: () => ({
      requiredConsentVersion: count(),
      acceptedConsentVersion: z.nullable(count()),
      portalUrl: url(),
    }),
    ownHeaders: { Link: 'always' },
  },
} as const satisfies Record<string, ProblemDefinition>;

export const contractProblemDocs = (): ProblemDocs<typeof contractProblems> => ({
  'user-id-missing': {
    cause: 'The operation acts for an owner, and the request does not specify the owner.',
    provokedBy: 'curl --silent --header "x-api-key: $API_KEY" "$BASE_URL/hvacs"',
  },
  'source-address-not-allowed': {
    cause:
      'The request comes from an address that is not registered for your company, or that is not in `allowedCidrs` of the key; `detail` states which. It may be the address of a proxy or of a new network gateway. The service ignores `X-Forwarded-For`.',
    provokedBy: 'as acme --interface 127.0.0.3 "$BASE_URL/contract"',
  },
  'company-suspended': {
    cause: 'The operator has stopped all access of your company. Your keys still exist.',
    provokedBy: `npm run demo -- suspend acme
as acme "$BASE_URL/contract"
npm run demo -- resume acme`,
  },
  'contract-not-active': {
    cause:
      'The contract of your company has ended. You can still read it and the feed, manage your keys, and read and delete your webhooks.',
    provokedBy: 'as initech "$BASE_URL/hvacs"',
  },
  'user-id-mismatch': {
    cause: 'The value of `x-user-id` is not the `userId` of your contract, or the request has the header twice.',
    provokedBy: `curl --silent --header "x-api-key: $API_KEY" --header 'x-user-id: nobody' "$BASE_URL/hvacs"`,
  },
  'gateway-not-in-contract': {
    cause:
      'Your contract does not cover the gateway. The service returns the same response for a gateway that does not exist, so that gateways cannot be found by guessing.',
    provokedBy: `as acme "$BASE_URL/hvacs/$(demo 'globex.gateways[0].gatewayId')"`,
  },
  'contract-not-found': {
    cause: 'You have a key, but the operator has not finished your onboarding.',
    onlyCausedBy: 'the operator',
  },
  'consent-outdated': {
    cause:
      'The terms of the operator have changed since the owner last agreed, or the owner has withdrawn consent. Your key and your contract are in order.',
    provokedBy: 'as globex "$BASE_URL/hvacs"',
    example: {
      requiredConsentVersion: 3,
      acceptedConsentVersion: 2,
      portalUrl: 'https://portal.example.com/consent',
    },
    members: {
      requiredConsentVersion: 'The consent version that the owner must accept.',
      acceptedConsentVersion: 'The consent version that the owner accepted last; null if there is none.',
      portalUrl: 'The URL where the owner accepts the latest consent version.',
    },
  },
});
