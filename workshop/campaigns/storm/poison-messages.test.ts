import { describe, expect, test } from 'vitest';
import {
  type InboundEventType,
  inboundEvents,
  inboundEventTypes,
} from '../../../lambdas/api/inbound-events/inbound-events.ts';
import { campaign } from '../../../test/support/campaign.ts';
import { feedOf, openStage, type Stage } from '../../../test/support/stage/stage.ts';
import { type Home, request, sendEvent, settle } from '../../../test/support/stage/traffic.ts';
import { bad, faultsByName, homes, stateOf } from './poison.ts';

describe.each([
  ['is no JSON', undefined],
  ['meets a store that refuses', faultsByName['the store refuses']],
  ['meets a fault of our code', faultsByName['our code fails']],
] as const)('a message that %s', (_fault, faults) => {
  test.each(inboundEventTypes)(
    'of %s becomes one dead letter with the reason; sent again it is applied; others arrive as usual',
    campaign,
    async (type) => {
      const { queue } = inboundEvents[type];
      const consumer = queue === 'portalEvents' ? 'takePortalEvents' : 'takeGatewayReports';
      const play = async (isDisturbed: boolean) => {
        const stage = openStage();
        await settle(stage, homes);
        for (const home of homes) await prepare(stage, type, home);
        for (const home of homes) {
          const event = sendEvent(stage, type, home, dataOf(type));
          if (isDisturbed && home === bad && !faults) {
            stage.queues[queue].takeLast();
            stage.queues[queue].send({ body: JSON.stringify(event).slice(1) });
          }
        }
        if (isDisturbed) stage.failWith(faults ?? {});
        for (let delivery = 0; delivery < 2; delivery++) await stage.deliverMessages();
        stage.failWith({});
        await stage.deliverRecords();
        return stage;
      };
      const undisturbed = await play(false);
      const stage = await play(true);
      expect(stateOf(stage)).toEqual(stateOf(undisturbed));
      const letters = stage.failures[consumer].takeAll();
      expect(letters).toHaveLength(1);
      expect(letters[0]?.attributes).toMatchObject(
        faults
          ? { outcome: 'set-aside', error: expect.stringMatching(/./) }
          : { outcome: 'not-json', expected: 'JSON.' },
      );
      const [letter] = letters;
      if (!letter) return;
      const body = faults ? letter.body : `{${letter.body}`;
      stage.queues[queue].send({ ...letter, body });
      await stage.deliverMessages();
      await stage.deliverRecords();
      expect(JSON.parse(String(stage.lines.findLast((line) => line.includes(`"${consumer}"`)))).outcome).toBe(
        'applied',
      );
      expect(feedOf(stage, bad.companyId).length).toBe(feedOf(undisturbed, bad.companyId).length);
      expect(stage.queues[queue].bodies()).toEqual([]);
    },
  );
});

/** Prepares a home so that an event of the type changes something. */
const prepare = async (stage: Stage, type: InboundEventType, home: Home): Promise<void> => {
  if (type === 'change.refused.v1') await request(stage, home, 24);
  if (type === 'function.unblocked.v1') sendEvent(stage, 'function.blocked.v1', home);
  if (type === 'portal.consent.accepted.v1') sendEvent(stage, 'portal.consent.withdrawn.v1', home);
  if (type === 'portal.installation.added.v1') sendEvent(stage, 'portal.installation.removed.v1', home);
  if (type === 'portal.contract.opened.v1') sendEvent(stage, 'portal.contract.ended.v1', home);
  await stage.pass();
};

const dataOf = (type: InboundEventType): object => {
  if (type === 'portal.consent.accepted.v1') return { consentVersion: 3 };
  if (type === 'change.refused.v1')
    return { item: { kind: 'circuit', family: 'heating', circuitId: 'hc1' }, version: 2 };
  if (type === 'circuit.reported.v1') return { circuitId: 'hc1', fulfilsVersion: undefined };
  if (type === 'time-program.reported.v1') return { circuitId: 'hc1', timeProgramId: '1', fulfilsVersion: undefined };
  return {};
};
