import { beforeAll, expect, test } from 'vitest';
import { toTimestamp } from '../../../lambdas/domain/time.ts';
import { call } from '../../support/call.ts';
import { onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

test('getContract shows the user id to act for and the state of consent', async () => {
  const { companyId, contract, key } = await onboard(world.store);
  const { body } = await call('getContract', { apiKey: key.apiKey });
  expect(body).toEqual({
    companyId,
    userId: contract.userId,
    state: 'active',
    since: toTimestamp(startMs),
    consent: {
      requiredVersion: 3,
      acceptedVersion: 3,
      acceptedAt: toTimestamp(startMs),
      upToDate: true,
      portalUrl: 'https://portal.example.com/consent',
    },
  });
});

test.each([
  [null, null, false],
  [2, startMs, false],
  [3, startMs, true],
  [4, startMs, true],
])(
  'a consent to version %s is up to date with version 3: %s %s',
  async (acceptedConsentVersion, acceptedAtMs, upToDate) => {
    const { key } = await onboard(world.store, { acceptedConsentVersion, acceptedAtMs });
    const { body } = await call('getContract', { apiKey: key.apiKey });
    expect(body.consent).toMatchObject({
      acceptedVersion: acceptedConsentVersion,
      acceptedAt: acceptedAtMs === null ? null : toTimestamp(acceptedAtMs),
      upToDate,
    });
  },
);

test('a contract that has ended can still be read', async () => {
  const { key } = await onboard(world.store, { state: 'ended' });
  expect((await call('getContract', { apiKey: key.apiKey })).body.state).toBe('ended');
});
