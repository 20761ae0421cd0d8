import { handler as recordApplianceEvents } from '../../../lambdas/consumers/recordApplianceEvents.ts';
import { handler as recordContractEvents } from '../../../lambdas/consumers/recordContractEvents.ts';
import { circuitItemKey } from '../../../lambdas/data/appliances/appliances.ts';
import { contractKey, toContractItem } from '../../../lambdas/data/contracts/contracts.ts';
import { acceptConsent, withdrawConsent } from '../../../lambdas/data/contracts/owner-decisions.ts';
import { installGrantedGateway, reportedCircuits } from '../../support/appliance.ts';
import { call } from '../../support/call.ts';
import { applianceRecord, companyRecord, newStreamProcess } from '../../support/feed.ts';
import { onboard, partiesOf, startMs, theWorld } from '../../support/world.ts';

const minuteMs = 60_000;
let records = 0;

/** A company with a feed: the test changes its circuit and its owner's consent, and sets the clock. */
export const openFeedScene = async () => {
  const world = theWorld();
  const consent = { consentedSinceMs: startMs - minuteMs, acceptedAtMs: startMs - minuteMs };
  const { companyId, contract, key } = await onboard(world.store, consent);
  const { gatewayId } = await installGrantedGateway(world.store, companyId);
  const clock = { nowMs: startMs };
  const environment = () => ({ ...world.environment, ...newStreamProcess(), processTimeMs: () => clock.nowMs });
  const item = (version: number, reportedAtMs: number) => ({
    ...circuitItemKey(gatewayId, 'heating', 'c1'),
    circuitId: 'c1',
    version,
    reportedAtMs,
    receivedAtMs: reportedAtMs,
    reported: reportedCircuits.heating,
  });
  /** The changes are identified by the version of the circuit. */
  const change = (version: number) => {
    const Records = [applianceRecord(++records, item(version - 1, clock.nowMs - 1), item(version, clock.nowMs))];
    return recordApplianceEvents.withEnvironment(environment())({ Records }, undefined);
  };
  const audit = () => ({
    companyId,
    nowMs: clock.nowMs,
    requestId: 'r',
    operation: 'test',
    actorKey: null,
  });
  const recordConsent = (before: number | null, after: number | null) => {
    const item = (acceptedConsentVersion: number | null) => ({
      ...toContractItem(contract),
      ...contractKey(partiesOf(companyId)),
      acceptedConsentVersion,
      consentChangedAtMs: clock.nowMs,
    });
    const Records = [companyRecord(++records, item(before), item(after))];
    return recordContractEvents.withEnvironment(environment())({ Records }, undefined);
  };
  const withdraw = async () => {
    await withdrawConsent(world.store, audit(), { userId: contract.userId });
    await recordConsent(3, null);
  };
  const accept = async () => {
    const version = { consentVersion: 3, requiredVersion: 3 };
    await acceptConsent(world.store, audit(), { userId: contract.userId, ...version });
    await recordConsent(null, 3);
  };

  /** Answers `listEvents` as the service would; the scene has no other operation. */
  const answer: typeof fetch = async (url) => {
    const query = [...new URL(String(url)).searchParams].map(([name, value]) => [name, [value]] as const);
    // Each request is a second after the previous one, so no rate limit is reached.
    clock.nowMs += 1000;
    const { status, headers, body } = await call('listEvents', {
      apiKey: key.apiKey,
      nowMs: clock.nowMs,
      query: Object.fromEntries(query),
    });
    return new Response(JSON.stringify(body), { status, headers });
  };
  return { clock, change, withdraw, accept, answer, apiKey: key.apiKey };
};
