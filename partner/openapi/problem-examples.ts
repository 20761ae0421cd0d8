import { maxBodyBytes, maxValidKeysPerCompany } from '../../lambdas/api/limits.ts';
import type { ProblemCode, ProblemMembers } from '../../lambdas/api/problems.ts';
import { ratePolicies } from '../../lambdas/api/rate-policies.ts';
import { expectedId } from '../../lambdas/api/schemas/common.ts';

type Example<Code extends ProblemCode> = { readonly detail?: string } & ProblemMembers<Code>;
type CodeWithMembers = { [Code in ProblemCode]: unknown extends ProblemMembers<Code> ? never : Code }[ProblemCode];

/** What an occurrence brings, where it brings something; the compiler asks for those that have members. */
export const problemExamples: { readonly [Code in CodeWithMembers]: Example<Code> } & {
  readonly [Code in ProblemCode]?: Example<Code>;
} = {
  'invalid-request': { errors: [{ pointer: '/path/circuitId', detail: expectedId }] },
  'consent-outdated': {
    requiredConsentVersion: 3,
    acceptedConsentVersion: 2,
    portalUrl: 'https://portal.example.com/consent',
  },
  'api-key-limit-reached': {
    validKeys: [{ keyId: 'f3QnT7wLx0RkVb2Z', expiresAt: '2027-01-15T09:30:00Z' }],
    maxValidKeys: maxValidKeysPerCompany,
  },
  'appliance-function-blocked': {
    function: 'heatingTimePrograms',
    blockedSince: '2026-11-20T16:00:00Z',
    blockedUntil: '2026-11-20T17:00:00Z',
  },
  'body-too-large': { detail: `Send at most ${maxBodyBytes} bytes.` },
  'rate-limit-exceeded': {
    policy: 'gateway',
    counter: {
      companyId: 'acme',
      gatewayId: 'gw-1001',
      endpoint: 'getHeatingCircuit',
      path: '/hvacs/gw-1001/heatingCircuits/hc1',
    },
    limit: { ...ratePolicies.gateway },
    retryAfterMs: 1350,
  },
};
