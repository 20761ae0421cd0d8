import { describe, expect, test } from 'vitest';
import { isOwnChange, resourceOf, shownPartOf, shownValues } from '../../../lambdas/domain/audit-visibility.ts';
import { byIds } from '../../../lambdas/domain/by-id.ts';
import type { Contract } from '../../../lambdas/domain/contract.ts';
import { consentedContract } from '../../support/feed.ts';

type RecordedChange = Parameters<typeof isOwnChange>[0];

const at = '1970-01-01T00:00:02Z';
const ofKey = { at, actorKeyId: 'k1' };
const ofOperator = { at, actorKeyId: null, shownToCompany: true };
const ofEvent = { at, actorKeyId: null };
const ofHome = { ...ofKey, operation: 'updateHeatingCircuit', userId: 'owner-1', gatewayId: 'gw-1' };

describe('a company sees', () => {
  test.each<[string, RecordedChange]>([
    ['what it did to a home', ofHome],
    ['what it did to a key', { ...ofKey, operation: 'createApiKey', keyId: 'k2' }],
    ['that the operator suspended it', { ...ofOperator, operation: 'company suspend', after: { state: 'suspended' } }],
    ['its onboarding', { ...ofOperator, operation: 'company onboard', keyId: 'k1' }],
    ['that the operator revoked a key', { ...ofOperator, operation: 'key revoke', keyId: 'k1' }],
    ['that the operator disabled a webhook', { ...ofOperator, operation: 'webhook disable', webhookId: 'w1' }],
    [
      'that the operator ended a contract',
      { ...ofOperator, operation: 'contract end', userId: 'owner-1', after: { state: 'ended' } },
    ],
  ])('%s', (_, change) => {
    expect(isOwnChange(change)).toBe(true);
  });
});

describe('a company does not see', () => {
  test.each<[string, RecordedChange]>([
    ['an event of the portal', { ...ofEvent, operation: 'portal.contract.ended.v1', after: { state: 'ended' } }],
    ['a command that is not shown', { ...ofEvent, operation: 'owner erase', after: { state: 'ended' } }],
    [
      'a grant that was part of its onboarding',
      { ...ofOperator, operation: 'company onboard', userId: 'owner-1', gatewayId: 'gw-1', after: { state: 'x' } },
    ],
    [
      'a withdrawal of consent that a restore repeated',
      { ...ofOperator, operation: 'restore reconcile', userId: 'owner-1', after: { acceptedConsentVersion: null } },
    ],
    ['a contract without values', { ...ofOperator, operation: 'contract end', userId: 'owner-1' }],
  ])('%s', (_, change) => {
    expect(isOwnChange(change)).toBe(false);
  });
});

describe('of a change', () => {
  const gateways = byIds([['gw-1', { grantedAtMs: 0, receivedAtMs: 1500 }]]);
  const partOf = (change: RecordedChange, contract: Partial<Contract> | undefined = {}) =>
    shownPartOf(change, { contract: { ...consentedContract, gateways, ...contract }, requiredConsentVersion: 3 });
  const ofContract = { ...ofOperator, operation: 'contract end', userId: 'owner-1', after: { state: 'ended' } };

  test('of a home everything is shown while the contract, the consent and the grant cover its time', () => {
    expect(partOf(ofHome)).toBe('all');
    expect(partOf({ ...ofHome, at: '1970-01-01T00:00:01.500Z' })).toBe('all');
  });

  test.each<[string, Partial<Contract>]>([
    ['the contract has ended', { state: 'ended' }],
    ['consent was withdrawn', { acceptedConsentVersion: null }],
    ['consent is of an older version', { acceptedConsentVersion: 2 }],
    ['consent is newer', { consentedSinceMs: 2001 }],
    ['the contract is newer', { sinceMs: 2001 }],
    ['the gateway is not granted', { gateways: {} }],
    ['the grant is newer', { gateways: byIds([['gw-1', { grantedAtMs: 0, receivedAtMs: 2001 }]]) }],
  ])('of a home the values are withheld if %s', (_, contract) => {
    expect(partOf(ofHome, contract)).toBe('without-values');
  });

  test('about an erased owner neither ids nor values are shown', () => {
    for (const change of [ofHome, ofContract]) {
      expect(shownPartOf(change, { contract: undefined, requiredConsentVersion: 3 })).toBe('without-ids');
      expect(partOf(change, { state: 'unopened' })).toBe('without-ids');
      expect(partOf({ ...change, userId: 'erased-1' })).toBe('without-ids');
    }
  });

  test('of a home without an owner nothing but the fact is shown', () => {
    const { userId: _, ...ofNobody } = ofHome;
    expect(partOf(ofNobody)).toBe('without-ids');
  });

  test('of a contract everything is shown, also after its end', () => {
    expect(partOf(ofContract, { state: 'ended', gateways: {}, acceptedConsentVersion: null })).toBe('all');
  });

  test('that concerns no owner everything is shown, without any contract', () => {
    const none = { contract: undefined, requiredConsentVersion: 3 };
    for (const target of [{ keyId: 'k1' }, { webhookId: 'w1' }, {}])
      expect(shownPartOf({ ...ofOperator, operation: 'company set', ...target }, none)).toBe('all');
  });
});

describe('values', () => {
  const key = { access: 'read', allowedCidrs: null, label: 'Reporting' };
  const company = {
    companyId: 'acme',
    name: 'Acme',
    state: 'active',
    allowedCidrs: ['192.0.2.0/24'],
    webhookHosts: [],
  };
  const { companyId: _, ...shownCompany } = company;
  const hidden = { hash: 'h', code: 'c', secret: 's', stateChangedAtMs: 1 };

  test.each<[string, Omit<RecordedChange, 'before' | 'after'>, object, object | null]>([
    ['of a home are those of its request', ofHome, { operationMode: 'off' }, { operationMode: 'off' }],
    [
      'of a key are its options',
      { ...ofKey, operation: 'createApiKey', keyId: 'k2' },
      { key: { ...key, ...hidden } },
      key,
    ],
    ['of a key are never those beside its options', { ...ofKey, operation: 'x', keyId: 'k2' }, { ...key }, null],
    [
      'of a webhook are its URL, its state and the version of its secret',
      { ...ofKey, operation: 'createWebhook', webhookId: 'w1' },
      { url: 'https://a.example', state: 'enabled', secretVersion: 2, ...hidden },
      { url: 'https://a.example', state: 'enabled', secretVersion: 2 },
    ],
    [
      'of a company are those of its registration',
      { ...ofOperator, operation: 'company set' },
      { ...company, ...hidden },
      shownCompany,
    ],
    [
      'of an onboarding are those of the company',
      { ...ofOperator, operation: 'company onboard', keyId: 'k1' },
      company,
      shownCompany,
    ],
    [
      'of a contract are its state',
      { ...ofOperator, operation: 'contract end', userId: 'owner-1' },
      { state: 'ended', sinceMs: 1, ...hidden },
      { state: 'ended' },
    ],
    ['are null if none is shown', { ...ofOperator, operation: 'company set' }, hidden, null],
  ])('%s', (_, change, given, expected) => {
    for (const when of ['before', 'after'] as const) {
      expect(shownValues({ ...change, [when]: given }, when)).toEqual(expected);
      expect(shownValues(change, when)).toBeNull();
    }
  });
});

describe('the resource of a change', () => {
  const ofCircuit = { ...ofHome, family: 'heating', circuitId: 'hc1' };
  test.each<[Parameters<typeof resourceOf>[0], string | null]>([
    [{ ...ofHome, operation: 'setHoliday' }, '/hvacs/gw-1/holiday'],
    [ofCircuit, '/hvacs/gw-1/heatingCircuits/hc1'],
    [{ ...ofCircuit, family: 'dhw' }, '/hvacs/gw-1/dhwCircuits/hc1'],
    [{ ...ofCircuit, timeProgramId: '2' }, '/hvacs/gw-1/heatingCircuits/hc1/timePrograms/2'],
    [{ ...ofOperator, operation: 'contract end', userId: 'owner-1' }, '/contract'],
    [{ ...ofKey, operation: 'createWebhook', webhookId: 'w1' }, '/webhooks/w1'],
    [{ ...ofKey, operation: 'createApiKey', keyId: 'k2' }, '/api-keys/k2'],
    [{ ...ofOperator, operation: 'company onboard', keyId: 'k2' }, null],
    [{ ...ofOperator, operation: 'company suspend' }, null],
  ])('of %j is %s', (change, expected) => {
    expect(resourceOf(change)).toBe(expected);
  });
});
