import { describe, expect, test } from 'vitest';
import type { Company } from '../../../lambdas/domain/company.ts';
import { consentGivenAt, noConsent } from '../../../lambdas/domain/consent.ts';
import type { Contract } from '../../../lambdas/domain/contract.ts';
import {
  type MissingGrant,
  missingGrantsOfCompany,
  missingGrantsOfContract,
  revocationsOfCompany,
  revocationsOfContract,
} from '../../../operator/restore/revocations.ts';

const contract: Contract = {
  companyId: 'acme',
  userId: 'owner-1',
  state: 'active',
  sinceMs: 1,
  gateways: {},
  stateChangedAtMs: null,
  stateClaimedAtMs: null,
  erasedAtMs: null,
  removeAt: null,
  ...consentGivenAt(2, 1),
};
const company: Company = {
  companyId: 'acme',
  name: 'Acme',
  state: 'active',
  allowedCidrs: ['192.0.2.0/24'],
  webhookHosts: ['acme.example', 'acme.test'],
};
const withdrawn = { ...noConsent, consentChangedAtMs: 5, consentClaimedAtMs: 6 };
const commandsOf = (given: readonly MissingGrant[]) => given.map(({ command }) => command);

describe('revokes again what the audit log revoked', () => {
  test.each<[string, Partial<Contract>, Partial<Contract>]>([
    [
      'an end, with its times',
      { state: 'ended', sinceMs: 5, stateChangedAtMs: 6, stateClaimedAtMs: 7 },
      { state: 'ended', sinceMs: 5, stateChangedAtMs: 6, stateClaimedAtMs: 7 },
    ],
    ['consent, with the time of its withdrawal', withdrawn, withdrawn],
  ])('%s', (_, recorded, expected) => {
    expect(revocationsOfContract(contract, recorded)).toEqual(expected);
    expect(revocationsOfContract({ ...contract, ...expected }, recorded)).toEqual({});
  });

  test.each<Partial<Company>>([
    { state: 'suspended' },
    { allowedCidrs: ['192.0.2.0/25'] },
    { webhookHosts: ['acme.test'] },
  ])('for the company: %j', (recorded) => {
    expect(revocationsOfCompany(company, recorded)).toEqual(recorded);
    expect(revocationsOfCompany({ ...company, ...recorded }, recorded)).toEqual({});
  });

  test.each<[Partial<Company>, Partial<Company>]>([
    [{ allowedCidrs: ['198.51.100.0/24'] }, { allowedCidrs: [] }],
    [{ allowedCidrs: ['192.0.2.0/25', '198.51.100.0/24'] }, { allowedCidrs: ['192.0.2.0/25'] }],
    [{ webhookHosts: ['acme.invalid', 'acme.test'] }, { webhookHosts: ['acme.test'] }],
  ])('for the company, what was replaced: %j', (recorded, expected) => {
    expect(revocationsOfCompany(company, recorded)).toEqual(expected);
    expect(revocationsOfCompany({ ...company, ...expected }, recorded)).toEqual({});
  });

  test.each([{ consentChangedAtMs: 3 }, { consentClaimedAtMs: 3 }])(
    'the times of a withdrawal, even if consent was withdrawn before: %j',
    (earlier) => {
      expect(revocationsOfContract({ ...contract, ...withdrawn, ...earlier }, withdrawn)).toEqual(withdrawn);
    },
  );

  const opened = { state: 'active', sinceMs: 5, stateChangedAtMs: 6, stateClaimedAtMs: 7 } as const;
  test.each<[string, Partial<Contract>, Partial<Contract>]>([
    ['opening', {}, opened],
    ['opening by a faster clock', { ...opened, stateClaimedAtMs: 6 }, opened],
    ['opening that counts later', { ...opened, stateChangedAtMs: 5 }, opened],
    ['acceptance', {}, consentGivenAt(2, 5)],
    ['acceptance of an earlier version', {}, consentGivenAt(1, 5)],
  ])('with the times of a later %s', (_, known, recorded) => {
    expect(revocationsOfContract({ ...contract, ...known }, recorded)).toEqual(recorded);
    expect(revocationsOfContract({ ...contract, ...recorded }, { ...recorded, ...known })).toEqual({});
  });

  test.each<[string, Contract, Partial<Contract>]>([
    ['state', { ...contract, state: 'ended' }, { state: 'active' }],
    ['consent', { ...contract, ...noConsent }, consentGivenAt(2, 5)],
    ['a newer version', contract, consentGivenAt(3, 5)],
    ['a break of a consent that the contract lacks', { ...contract, ...noConsent }, { consentBeganAtMs: 5 }],
  ])('but does not grant again: %s', (_, now, recorded) => {
    expect(revocationsOfContract(now, recorded)).toEqual({});
  });

  test.each<[string, Company, Partial<Company>]>([
    ['state', { ...company, state: 'suspended' }, { state: 'active' }],
    ['addresses', company, { allowedCidrs: ['192.0.2.0/23'] }],
    ['more webhook hosts', company, { webhookHosts: ['acme.invalid', ...company.webhookHosts] }],
    ['more addresses', company, { allowedCidrs: ['192.0.2.0/24', '198.51.100.0/24'] }],
    ['the same addresses, divided', company, { allowedCidrs: ['192.0.2.0/25', '192.0.2.128/25'] }],
    ['name', company, { name: 'Acme Ltd' }],
  ])('but does not change again for the company: %s', (_, now, recorded) => {
    expect(revocationsOfCompany(now, recorded)).toEqual({});
  });
});

describe('lists what the audit log granted, with the command that grants it', () => {
  test.each<[Contract, Partial<Contract>, string]>([
    [{ ...contract, state: 'ended' }, { state: 'active' }, 'contract open acme --user owner-1'],
    [contract, { acceptedConsentVersion: 3 }, 'consent accept acme --user owner-1'],
  ])('%#', (now, recorded, command) => {
    expect(commandsOf(missingGrantsOfContract(now, recorded))).toEqual([command]);
  });

  test.each<[Company, Partial<Company>, string]>([
    [{ ...company, state: 'suspended' }, { state: 'active' }, 'company resume acme'],
    [company, { allowedCidrs: ['192.0.2.0/23'] }, 'company sync acme'],
    [company, { webhookHosts: ['acme.example', 'acme.test', 'acme.invalid'] }, 'company sync acme'],
    [company, { name: 'Acme Ltd' }, "company set acme --name 'Acme Ltd'"],
  ])('for the company: %#', (now, recorded, command) => {
    expect(commandsOf(missingGrantsOfCompany(now, recorded, false))).toEqual([command]);
  });

  test.each<[Partial<Company>, string]>([
    [
      { allowedCidrs: ['192.0.2.0/23', '198.51.100.7/32'] },
      'company set acme --add-addresses 192.0.3.0/24,198.51.100.7/32',
    ],
    [{ webhookHosts: ['acme.test', 'acme.invalid'] }, 'company set acme --add-webhook-hosts acme.invalid'],
  ])('for a company that is registered in the store only: %#', (recorded, command) => {
    expect(commandsOf(missingGrantsOfCompany(company, recorded, true))).toEqual([command]);
  });

  test('nothing if all is as recorded', () => {
    expect([...missingGrantsOfContract(contract, contract), ...missingGrantsOfCompany(company, company, true)]).toEqual(
      [],
    );
  });
});
