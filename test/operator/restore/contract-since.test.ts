import { describe, expect, test } from 'vitest';
import { consentGivenAt, noConsent } from '../../../lambdas/domain/consent.ts';
import type { Contract } from '../../../lambdas/domain/contract.ts';
import { changedOffRecord, givenSince, takenAway } from '../../../operator/restore/contract-since.ts';

const contract: Contract = {
  companyId: 'acme',
  name: 'Acme',
  state: 'active',
  sinceMs: 1,
  userId: 'owner-1',
  allowedCidrs: ['192.0.2.0/24'],
  webhookHosts: ['acme.example', 'acme.test'],
  ...consentGivenAt(2, 1),
};
const withdrawn = { ...noConsent, consentChangedAtMs: 5, consentClaimedAtMs: 6 };
const commandsOf = (...[now, recorded]: Parameters<typeof givenSince>) =>
  givenSince(now, recorded).map(({ command }) => command);

describe('what the record took is taken again', () => {
  test.each<[string, Partial<Contract>, Partial<Contract>]>([
    ['a suspension, with its date', { state: 'suspended', sinceMs: 5 }, { state: 'suspended', sinceMs: 5 }],
    ['an end', { state: 'ended', sinceMs: 5 }, { state: 'ended', sinceMs: 5 }],
    ['consent, with the time of its withdrawal', withdrawn, withdrawn],
    [
      'the owner, and with them the consent',
      { userId: 'owner-2', acceptedConsentVersion: 3, consentChangedAtMs: 5, consentClaimedAtMs: 6 },
      { userId: 'owner-2', ...withdrawn },
    ],
    ['addresses', { allowedCidrs: ['192.0.2.0/25'] }, { allowedCidrs: ['192.0.2.0/25'] }],
    ['webhook hosts', { webhookHosts: ['acme.test'] }, { webhookHosts: ['acme.test'] }],
  ])('%s', (_, recorded, expected) => {
    expect(takenAway(contract, recorded)).toEqual(expected);
    expect(takenAway({ ...contract, ...expected }, recorded)).toEqual({});
  });

  test.each([{ consentChangedAtMs: 3 }, { consentClaimedAtMs: 3 }])(
    'the times of a withdrawal too, where consent had been withdrawn before: %j',
    (earlier) => {
      expect(takenAway({ ...contract, ...withdrawn, ...earlier }, withdrawn)).toEqual(withdrawn);
    },
  );

  test.each<[string, Contract, Partial<Contract>]>([
    ['state', { ...contract, state: 'ended' }, { state: 'active' }],
    ['consent', { ...contract, ...noConsent }, { acceptedConsentVersion: 2, acceptedAtMs: 5 }],
    ['addresses', contract, { allowedCidrs: ['192.0.2.0/23'] }],
    ['other webhook hosts', contract, { webhookHosts: ['acme.invalid'] }],
    ['other addresses', contract, { allowedCidrs: ['198.51.100.0/24'] }],
    ['the same addresses, divided', contract, { allowedCidrs: ['192.0.2.0/25', '192.0.2.128/25'] }],
    ['name', contract, { name: 'Acme Ltd' }],
  ])('what it gave is not: %s', (_, now, recorded) => {
    expect(takenAway(now, recorded)).toEqual({});
  });
});

describe('what the record gave is listed with the command that gives it', () => {
  test.each<[Contract, Partial<Contract>, string]>([
    [{ ...contract, state: 'suspended' }, { state: 'active' }, 'company resume acme'],
    [{ ...contract, state: 'ended' }, { state: 'active' }, 'contract set acme --reinstate'],
    [contract, { acceptedConsentVersion: 3 }, 'consent accept acme'],
    [contract, { allowedCidrs: ['192.0.2.0/23'] }, 'company sync acme'],
    [contract, { webhookHosts: ['acme.example', 'acme.test', 'acme.invalid'] }, 'company sync acme'],
    [contract, { name: 'Acme Ltd' }, "contract set acme --name 'Acme Ltd'"],
  ])('%#', (now, recorded, command) => {
    expect(commandsOf(now, recorded)).toEqual([command]);
  });

  test('nothing where all is as recorded', () => {
    expect(givenSince(contract, contract)).toEqual([]);
  });
});

test('only values that nobody changed on record go back to those of the restored contract', () => {
  const spoiled: Contract = { ...contract, name: 'Spoiled', userId: 'stranger', state: 'suspended', sinceMs: 5 };
  expect(changedOffRecord(spoiled, contract, { state: 'suspended', sinceMs: 5 })).toEqual({
    name: 'Acme',
    userId: 'owner-1',
  });
});
