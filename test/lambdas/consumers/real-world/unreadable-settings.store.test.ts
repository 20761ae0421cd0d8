import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { applianceFeatures } from '../../../../lambdas/api/schemas/gateway.ts';
import { callsOf, type EquippedCompany, equipCompany } from '../../../support/call.ts';
import { campaign, playRounds } from '../../../support/campaign.ts';
import { eventLike, take } from '../../../support/messages.ts';
import { openWorld, startMs } from '../../../support/world.ts';
import { absent, type Item, isWithoutEnd, items, meaningOf, type Setting, until } from './unreadable-settings.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

/** A company with a home whose circuits have every setting. */
const openHome = async () => {
  const company = await equipCompany(world.store);
  const levelSetpoints = [{ level: 'eco' }];
  const limits = { heatingCurve: {}, coolingSetpointCelsius: {}, levelSetpoints };
  const circuits = [
    { family: 'heating', circuitId: 'c1', limits, timeProgramIds: ['1', '2'] },
    { family: 'dhw', circuitId: 'c1', limits: { levelSetpoints }, timeProgramIds: ['1', '2'] },
  ];
  const data = { features: applianceFeatures, circuits };
  const described = eventLike('gateway.described.v1', { subject: company.gatewayId, timeMs: startMs, data });
  await take('takeGatewayReports', [described], { arrivedAtMs: startMs });
  return company;
};

type Values = Readonly<Record<string, unknown>>;

const valuesOf = ({ settings: all }: Item, which: 'before' | 'asked'): Values =>
  Object.fromEntries(Object.entries(all).map(([name, setting]) => [name, setting[which]]));

const messageOf = (
  { type, about, within }: Item,
  subject: string,
  timeMs: number,
  values: Values,
  version?: number,
) => {
  const said = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== absent));
  const event = eventLike(type, { subject, id: randomUUID(), timeMs });
  const data = { ...about, ...(within ? { [within]: said } : said), ...(version && { fulfilsVersion: version }) };
  return { ...event, data };
};

/** A home in which an item is changed again and again, each time a minute later. */
const openScene = (company: EquippedCompany, item: Item) => {
  const { gatewayId } = company;
  const ask = callsOf(company);
  let nowMs = startMs;
  return {
    /** Reports the values of before, and requests a change of some settings; returns its version. */
    change: async (asked: Values): Promise<number> => {
      nowMs += 60_000;
      const { version } = (await ask(item.get, { nowMs })).body;
      // A change that the last round left open is confirmed.
      const messages = [version, undefined].map((each, index) =>
        messageOf(item, gatewayId, nowMs + index, valuesOf(item, 'before'), each),
      );
      await take('takeGatewayReports', messages, { arrivedAtMs: nowMs });
      const body = item.bodyOf
        ? item.bodyOf(asked)
        : item.type.startsWith('time')
          ? { ...valuesOf(item, 'asked'), ...asked }
          : asked;
      const { status, body: changed } = await ask(item.change, { nowMs: nowMs + 10_000, body });
      expect([status, changed.state]).toEqual([202, 'pending']);
      return changed.version;
    },
    /** A report of some seconds after the change. */
    report: (values: Values, afterSeconds: number, version?: number) =>
      messageOf(
        item,
        gatewayId,
        nowMs + 10_000 + afterSeconds * 1000,
        { ...valuesOf(item, 'before'), ...values },
        version,
      ),
    deliver: async (messages: readonly object[]) => {
      const { refused, failures, logged } = await take('takeGatewayReports', messages, { arrivedAtMs: nowMs + 30_000 });
      expect([refused, failures]).toEqual([[], []]);
      return logged.map(({ outcome }) => outcome);
    },
    read: async () => (await ask(item.get, { nowMs: nowMs + 30_000 })).body,
  };
};

const shownAs = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? expect.objectContaining(value) : value;

const rows = Object.entries(items).flatMap(([what, item]) =>
  Object.keys(item.settings).map((name) => [what, name, item] as const),
);

describe('a fulfilled change of which the report', () => {
  test.each(rows)('of %s does not say %s readably is shown as it was asked for', campaign, async (_, name, item) => {
    const { change, report, deliver, read } = openScene(await openHome(), item);
    const { asked, forms } = item.settings[name] as Setting;
    for (const form of forms) {
      const version = await change({ [name]: asked });
      await deliver([report({ [name]: form }, 5, version)]);
      expect(await read(), `${String(form)} ${JSON.stringify(form)}`).toMatchObject({
        state: 'confirmed',
        version,
        [name]: shownAs(asked),
      });
    }
  });

  test('says something else readably is shown as it is reported', async () => {
    for (const [what, name, value] of [
      ['a heating circuit', 'roomSetpointCelsius', 22.5],
      ['an override of heating', 'override', { roomSetpointCelsius: 22, until }],
      ['an override of heating', 'override', null],
      ['a time program', 'switchPoints', []],
      ['a time program', 'name', 'Bad'],
      ['a holiday', 'holiday', null],
    ] as const) {
      const item = items[what] as Item;
      const { change, report, deliver, read } = openScene(await openHome(), item);
      const version = await change({ [name]: item.settings[name]?.asked });
      expect(await deliver([report({ [name]: value }, 5, version)])).toEqual(['applied']);
      expect(await read()).toMatchObject({ state: 'confirmed', version, [name]: shownAs(value) });
    }
  });
});

test(
  'the answer to a change and a newer report of any form have the same result in both orders',
  campaign,
  async (context) => {
    await playRounds(context, { test: 2, seconds: 60, full: 300 }, async (seed) => {
      for (const item of Object.values(items)) {
        const scenes = [openScene(await openHome(), item), openScene(await openHome(), item)];
        const anyForms = (isAnswer: boolean) =>
          fc.record(
            Object.fromEntries(
              Object.entries(item.settings).map(([name, { before, asked, forms }]) => [
                name,
                fc.constantFrom(before, asked, ...forms.filter((form) => isAnswer || !isWithoutEnd(form))),
              ]),
            ),
          );
        const cases = fc.tuple(
          anyForms(true),
          anyForms(false),
          fc.subarray(Object.keys(item.settings), { minLength: 1 }),
        );
        for (const [answer, newer, names] of fc.sample(cases, { numRuns: 4, seed })) {
          const asked = Object.fromEntries(names.map((name) => [name, item.settings[name]?.asked]));
          const isOpen = (name: string) => item.get === 'getHeatingTimeProgram' || names.includes(name);
          const expected = Object.entries(item.settings).map(([name, setting]) => {
            const meaning = meaningOf(name, setting, newer[name]);
            if (meaning !== 'kept') return [name, meaning === 'said' ? shownAs(newer[name]) : null];
            const answered = meaningOf(name, setting, answer[name]);
            if (answered === 'said') return [name, shownAs(answer[name])];
            if (isOpen(name)) return [name, shownAs(setting.asked)];
            return [name, answered === 'none' ? null : setting.before];
          });
          for (const [index, scene] of scenes.entries()) {
            const version = await scene.change(asked);
            const messages = [scene.report(answer, 5, version), scene.report(newer, 9)];
            for (const message of index === 0 ? messages : messages.toReversed()) await scene.deliver([message]);
            // Of settings that were not asked for, the answer is stale if the newer report was faster.
            const isKnown = ([name]: (typeof expected)[number]) => index === 0 || isOpen(String(name));
            expect(await scene.read(), JSON.stringify([index, asked, answer, newer])).toMatchObject({
              state: 'confirmed',
              version,
              ...Object.fromEntries(expected.filter(isKnown)),
            });
          }
        }
      }
    });
  },
);
