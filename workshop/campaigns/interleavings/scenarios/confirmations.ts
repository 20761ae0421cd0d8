import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import {
  type ApplianceItemKey,
  circuitItemKey,
  holidayItemKey,
} from '../../../../lambdas/data/appliances/appliances.ts';
import { report } from '../../../../lambdas/data/appliances/reports.ts';
import { requestChange } from '../../../../lambdas/data/appliances/requested-changes.ts';
import { timeProgramItemKey } from '../../../../lambdas/data/appliances/time-programs.ts';
import type { Store } from '../../../../lambdas/data/store/store.ts';
import type { Shadow } from '../../../../lambdas/domain/appliance.ts';
import { toTimestamp } from '../../../../lambdas/domain/time.ts';
import { factTimesAt, putGateway, putShadow } from '../../../../test/support/appliance.ts';
import { rowsOf, type Tables } from '../../../../test/support/memory-store/tables.ts';
import { actOf, openChangesAreListed } from '../../../../test/support/stage/rows.ts';
import { startMs } from '../../../../test/support/world.ts';
import type { Scenario } from '../scenario.ts';
import { gateway } from './requested-changes.ts';

const { gatewayId } = gateway;

/** All times are seconds after `startMs`. */
const at = (seconds: number): number => startMs + seconds * 1000;
const timeAt = (seconds: number): string => toTimestamp(at(seconds));

/** A kind of items, and two contents between which it is changed there and back. */
type Kind = { readonly kind: string; readonly key: ApplianceItemKey; readonly one: object; readonly other: object };

const program = (setpoint: string) => ({
  name: 'Week',
  switchPoints: [{ dayOfWeek: 'monday', time: '06:00', setpoint }],
});

const kinds: readonly Kind[] = [
  {
    kind: 'a heating circuit',
    key: circuitItemKey(gatewayId, 'heating', 'c1'),
    one: { operationMode: 'auto', roomSetpointCelsius: 13 },
    other: { operationMode: 'auto', roomSetpointCelsius: 21 },
  },
  {
    kind: 'hot water',
    key: circuitItemKey(gatewayId, 'dhw', 'c1'),
    one: { waterSetpointCelsius: 60 },
    other: { waterSetpointCelsius: 50 },
  },
  {
    kind: 'a time program',
    key: timeProgramItemKey(gatewayId, 'heating', 'c1', '1'),
    one: program('comfort'),
    other: program('eco'),
  },
  {
    kind: 'a holiday',
    key: holidayItemKey(gatewayId),
    one: { holiday: { from: timeAt(3600), to: timeAt(86_400), roomSetpointCelsius: 16 } },
    other: { holiday: null },
  },
  {
    kind: 'an override',
    key: circuitItemKey(gatewayId, 'heating', 'c1'),
    one: { override: { roomSetpointCelsius: 23, until: timeAt(3600), since: timeAt(0) } },
    other: { override: null },
  },
];

const actionsOn = ({ key }: Kind) => {
  const shadowIn = (tables: Tables) => rowsOf(tables, 'Appliances').get(`${gatewayId}\0${key.sk}`) as unknown as Shadow;
  return {
    shadowIn,
    reports: (reported: object, seconds: number, fulfilsVersion?: number) => (store: Store) =>
      report(store, key, { reported, fulfilsVersion }, factTimesAt(at(seconds))),
    requests: (values: object, seconds: number, item: Partial<Shadow>) => (store: Store) =>
      requestChange(store, actOf('a-company', null, at(seconds)), {
        gateway,
        uses: 'heatingCircuits',
        key,
        item: { reported: {}, reportedAtMs: 0, receivedAtMs: 0, version: 1, ...item },
        values,
        ifMatch: [],
        permittedSinceMs: 0,
        target: {},
      }),
    /** Each confirmation of a version is by a report that may confirm it, and shows what that version asked for. */
    confirmedOnlyBy:
      (allowed: Readonly<Record<number, { readonly shows: object; readonly by: readonly number[] }>>) =>
      (before: Tables, after: Tables) => {
        const [old, young] = [shadowIn(before), shadowIn(after)];
        openChangesAreListed(young);
        assert(young.reportedAtMs >= old.reportedAtMs, 'an older report came later');
        if (!old.desired || young.desired) return;
        const { shows, by } = allowed[old.version] ?? assert.fail(`version ${old.version} was confirmed`);
        assert(
          by.some((seconds) => at(seconds) === young.reportedAtMs),
          `the report of ${(young.reportedAtMs - startMs) / 1000} s confirmed version ${old.version}`,
        );
        for (const [name, value] of Object.entries(shows))
          assert(
            isDeepStrictEqual((young.reported as Record<string, unknown>)[name], value),
            `version ${old.version} was confirmed with another ${name}`,
          );
      },
  };
};

const install = async (store: Store, { key, other }: Kind): Promise<void> => {
  await putGateway(store, gateway);
  const reportedAtMs = at(-3600);
  await putShadow(store, key, {}, { reported: other, reportedAtMs, receivedAtMs: reportedAtMs, version: 1 });
};

/** There, back and there again, each answered but the last: a report of the first change arrives again. */
const changedBackScenario = (kind: Kind): Scenario => ({
  name: `a change of ${kind.kind} to what it was before, and a report from then`,
  guarantee: 'only its own answer or a newer report that shows the change confirms it',
  maxDisturbances: { prove: 1, full: 2 },
  arrange: async (store) => {
    const { one, other } = kind;
    const { reports, requests, confirmedOnlyBy } = actionsOn(kind);
    await install(store, kind);
    await requests(one, 10, {})(store);
    await reports(one, 11, 2)(store);
    await requests(other, 20, { version: 2 })(store);
    await reports(other, 21, 3)(store);
    return {
      operations: {
        'change back': requests(one, 30, { version: 3 }),
        'report from then': reports(one, 12),
        'report before the answer': reports(other, 31),
        answer: reports(one, 33, 4),
        'report after the answer': reports(one, 34),
      },
      // An answer counts also if the later report was faster.
      afterEach: confirmedOnlyBy({ 4: { shows: one, by: [33, 34] } }),
    };
  },
});

/** An undo before the appliance has received the change: what the appliance reports until then looks like the undo. */
const undoScenario = (kind: Kind): Scenario => ({
  name: `a change of ${kind.kind} and its undo, both open, and reports from before`,
  guarantee: 'each version is confirmed by its own answer alone',
  maxDisturbances: { prove: 1, full: 1 },
  arrange: async (store) => {
    const { one, other } = kind;
    const { reports, requests, confirmedOnlyBy } = actionsOn(kind);
    await install(store, kind);
    await requests(other, -20, {})(store);
    await reports(other, -19, 2)(store);
    await requests(one, 0, { version: 2 })(store);
    return {
      operations: {
        undo: requests(other, 10, { version: 3, desired: one as object }),
        'report from before the undo': reports(other, 4),
        'report from after the undo': reports(other, 11),
        'answer to the change': reports(one, 12, 3),
        'answer to the undo': reports(other, 14, 4),
      },
      // The answer to the undo may be faster than the one to the change, and even than the undo.
      afterEach: confirmedOnlyBy({ 3: { shows: {}, by: [12, 14] }, 4: { shows: other, by: [14] } }),
    };
  },
});

export const confirmationScenarios: readonly Scenario[] = [
  ...kinds.map(changedBackScenario),
  ...kinds.map(undoScenario),
];
