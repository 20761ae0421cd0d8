import { describe, expect, test } from 'vitest';
import { endpoints, type OperationId } from '../../../lambdas/api/endpoints/endpoints.ts';
import { Problem } from '../../../lambdas/api/problems.ts';
import { authorization } from '../../../lambdas/chain/authorization.ts';
import type { NamedUser } from '../../../lambdas/chain/request.ts';
import { unopenedContract } from '../../../lambdas/data/contracts/contracts.ts';
import type { Contract } from '../../../lambdas/domain/contract.ts';

const owner: NamedUser = { id: 'owner-1' };
const contract: Contract = {
  ...unopenedContract({ companyId: 'acme', userId: owner.id }),
  state: 'active',
  acceptedConsentVersion: 3,
};

const settings = { requiredConsentVersion: 3, consentPortalUrl: 'https://portal.example.com/consent' };

type Call = Parameters<ReturnType<typeof authorization>>[0];

/** Returns what the stage adds to a call in order except for these parts, or its problem. */
const authorized = (operationId: OperationId, parts: Partial<Pick<Call, 'userId' | 'contract' | 'isGatewayCovered'>>) =>
  authorization(endpoints[operationId])({
    userId: owner,
    contract,
    isGatewayCovered: true,
    environment: { setting: (name: keyof typeof settings) => settings[name] },
    ...parts,
  } as Call);

const codeOf = async (...[operationId, parts]: Parameters<typeof authorized>) => {
  const outcome = await authorized(operationId, parts);
  return outcome instanceof Problem ? outcome.code : undefined;
};

/** Operations of remote control: with a gateway in the path, and without one. */
const remoteControl = ['getGateway', 'updateHeatingCircuit', 'updateDhwTimeProgram', 'listGateways'] as const;

describe.each(remoteControl)('%s', (operationId) => {
  test('is admitted for an owner with an active contract that covers the gateway, and with consent', async () => {
    expect(await authorized(operationId, {})).toEqual({ contract });
  });

  test.each([
    ['user-id-missing', 'no owner', { userId: 'missing', contract: undefined }],
    ['user-id-missing', 'no owner, although there is a contract', { userId: 'missing' }],
    ['user-id-mismatch', 'an owner without a contract', { contract: undefined }],
    ['user-id-mismatch', 'two owners', { userId: 'malformed', contract: undefined }],
    ['contract-not-active', 'an owner whose contract has ended', { contract: { ...contract, state: 'ended' } }],
  ] as const)('rule 13: is refused as %s for a request that names %s', async (code, _, parts) => {
    expect(await codeOf(operationId, parts)).toBe(code);
  });

  test('rule 14: is refused for a gateway that the contract does not cover, whatever its consent', async () => {
    for (const acceptedConsentVersion of [3, null])
      expect(
        await codeOf(operationId, { isGatewayCovered: false, contract: { ...contract, acceptedConsentVersion } }),
      ).toBe('gateway-not-in-contract');
  });

  test.each([null, 0, 1, 2])(
    'rule 15: is refused if the owner has accepted version %s of 3, with the address of the portal',
    async (acceptedConsentVersion) => {
      expect(await authorized(operationId, { contract: { ...contract, acceptedConsentVersion } })).toMatchObject({
        code: 'consent-outdated',
        occurrence: { requiredConsentVersion: 3, acceptedConsentVersion, portalUrl: settings.consentPortalUrl },
        headers: { Link: `<${settings.consentPortalUrl}>; rel="blocked-by"` },
      });
    },
  );

  test('is admitted if the owner has accepted a later version', async () => {
    expect(await codeOf(operationId, { contract: { ...contract, acceptedConsentVersion: 4 } })).toBeUndefined();
  });
});

describe('GET /contract', () => {
  test.each([
    ['an owner with a contract', {}, { contract }],
    [
      'an owner whose contract has ended',
      { contract: { ...contract, state: 'ended' } },
      { contract: { state: 'ended' } },
    ],
    ['an owner without consent', { contract: { ...contract, acceptedConsentVersion: null } }, { contract: {} }],
    ['no owner', { userId: 'missing', contract: undefined }, { contract: undefined }],
    ['an owner without a contract', { contract: undefined }, { code: 'user-id-mismatch' }],
  ] as const)('for %s', async (_, parts, expected) => {
    expect(await authorized('getContract', parts)).toMatchObject(expected);
  });
});
