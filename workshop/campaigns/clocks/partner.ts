import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { Owners } from './owners.ts';
import type { CompanyStage } from './stage.ts';

const pathParameters = { gatewayId: 'gw-1', circuitId: 'hc1' };

/** A partner who follows the feed from its present end, and reads the circuit where the guide says so. */
export const openPartner = async (stage: CompanyStage, { historyOf, mayBeSeen }: Owners, ownerNow: () => string) => {
  /** Returns the settings of the circuit; undefined where they are not shown. */
  const read = async (): Promise<object | undefined> => {
    const { status, body } = await stage.call('getHeatingCircuit', { userId: ownerNow(), pathParameters });
    assert(status !== 200 || mayBeSeen(ownerNow()), 'a read shows what was withdrawn');
    const { roomSetpointCelsius, version, state } = body;
    return status === 200 ? { roomSetpointCelsius, version, state } : undefined;
  };

  const { body: begin } = await stage.call('listEvents', { userId: ownerNow(), query: { after: ['latest'] } });
  let cursor = String(begin.nextCursor);
  let mirror = await read();

  const readFeed = async () => {
    for (let hasMore = true; hasMore; ) {
      const { status, body } = await stage.call('listEvents', { userId: ownerNow(), query: { after: [cursor] } });
      assert.equal(status, 200);
      const items = body.items as {
        readonly id: string;
        readonly type: string;
        readonly userId?: string;
        readonly data: Record<string, unknown>;
      }[];
      for (const { id, type, userId = '', data } of items) {
        if (data.userId !== undefined) assert.equal(data.userId, userId, 'an event tells of another owner');
        if (type !== 'circuit.changed') continue;
        const writtenMs = stage.writtenAtMs(id);
        const history = historyOf(userId);
        assert(mayBeSeen(userId) && writtenMs > history.beginMs, 'an event is shown that may not be seen');
        const taken = [...history.withdrawn, ...history.removed];
        assert(
          taken.every((each) => each < writtenMs),
          'an event is shown from before what was taken',
        );
        const { roomSetpointCelsius, version, state } = data;
        if (userId === ownerNow()) mirror = { roomSetpointCelsius, version, state };
      }
      const readTriggers = ['consent.changed', 'contract.changed', 'gateway.added'];
      if (Number(body.withheld) > 0 || items.some(({ type }) => readTriggers.includes(type)))
        mirror = (await read()) ?? mirror;
      cursor = String(body.nextCursor);
      hasMore = Boolean(body.hasMore);
    }
  };

  return {
    read,
    readFeed,
    /** The feed says nothing about an earlier owner's home, so the partner of a new owner starts from a read. */
    startAgain: async () => {
      mirror = await read();
    },
    expectCurrent: async () => {
      const state = await read();
      if (state !== undefined && !isDeepStrictEqual(mirror, state))
        assert.fail(`the feed does not say that ${JSON.stringify(mirror)} is ${JSON.stringify(state)} now`);
    },
  };
};
