import { expect, test } from 'vitest';
import { feedEventTypeNames, feedEventTypes } from '../../../../lambdas/api/feed/event-types.ts';
import type { Contract } from '../../../../lambdas/domain/contract.ts';
import { withheldBecause } from '../../../../lambdas/domain/feed/visibility.ts';
import { consentedContract } from '../../../support/feed.ts';

type Given = {
  readonly contract?: Partial<Contract>;
  readonly grantedAtMs?: number | undefined;
  readonly atMs?: number;
};

const because = (type: (typeof feedEventTypeNames)[number], { atMs = 2000, ...given }: Given) =>
  withheldBecause(
    {
      contract: { ...consentedContract, ...given.contract },
      requiredConsentVersion: 3,
      grantedAtMs: () => ('grantedAtMs' in given ? given.grantedAtMs : 1500),
    },
    { type, atMs, userId: 'owner-1', gatewayId: 'gw-1', resource: '/' },
  );

test.each<[string, Given, ReturnType<typeof because>]>([
  ['all is well', {}, undefined],
  ['it is of the moment of consent', { atMs: 1000, grantedAtMs: 0 }, undefined],
  ['it is of the moment of the grant', { atMs: 1500 }, undefined],
  ['it is older than consent', { atMs: 999, grantedAtMs: 0 }, 'before-consent'],
  ['it is older than the grant', { atMs: 1499 }, 'before-grant'],
  ['the grant is gone', { grantedAtMs: undefined }, 'gateway-not-granted'],
  ['consent was withdrawn', { contract: { acceptedConsentVersion: null, consentedSinceMs: null } }, 'consent-outdated'],
  ['consent is of an older version', { contract: { acceptedConsentVersion: 2 } }, 'consent-outdated'],
  ['consent was renewed since', { contract: { consentedSinceMs: 2001 } }, 'before-consent'],
  [
    'consent is of a row without its begin, and newer',
    { contract: { consentedSinceMs: null, acceptedAtMs: 2001 } },
    'before-consent',
  ],
  ['consent is of a row without any time', { contract: { consentedSinceMs: null, acceptedAtMs: null } }, undefined],
  ['the contract has another owner', { contract: { userId: 'owner-2' } }, 'other-owner'],
  ['the contract has ended', { contract: { state: 'ended' } }, 'contract-ended'],
  ['the company is suspended, which the chain refuses', { contract: { state: 'suspended' } }, undefined],
])('an event of an appliance, where %s', (_, given, expected) => {
  for (const type of feedEventTypeNames)
    expect([type, because(type, given)]).toEqual([
      type,
      feedEventTypes[type].level === 'appliance' ? expected : undefined,
    ]);
});
