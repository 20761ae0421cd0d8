import { describe, expect, test } from 'vitest';
import type { GatewayPart } from '../../lambdas/answers/appliances.ts';
import { homeAnswer, homeStart } from '../../lambdas/answers/home.ts';
import { maxPageBytes, openSensorCelsius } from '../../lambdas/api/limits.ts';
import { Problem } from '../../lambdas/api/problems.ts';
import { maxIdCharacters } from '../../lambdas/api/schemas/common.ts';
import type { HomePart } from '../../lambdas/data/appliances/home.ts';
import { limitsOf } from '../../lambdas/domain/circuit-limits.ts';
import { encodeCursor } from '../../lambdas/domain/encoding.ts';
import { rateLimitKeyOf } from '../../lambdas/domain/rate-limits.ts';
import { reportedCircuits, reportedProgram } from '../support/appliance.ts';

const whole = 'circuits,timePrograms';
const callWith = (query: { include?: string; cursor?: string }, gatewayId = 'gw-1') => ({
  rateLimitKey: rateLimitKeyOf('acme', 'getGateway', '/hvacs/{gatewayId}', { gatewayId }),
  query,
});

const standing = { reportedAtMs: 0, receivedAtMs: 0, version: 1 };
/** Returns a circuit whose sensor is open, which each family shows as null. */
const circuitOf = (family: 'heating' | 'dhw', circuitId: string) => {
  const sensor = { heating: 'roomTemperatureCelsius', dhw: 'waterTemperatureCelsius' }[family];
  const reported = { ...reportedCircuits[family], override: null, [sensor]: openSensorCelsius };
  return { gatewayId: 'gw-1', circuitId, reported, ...standing };
};
const programOf = (timeProgramId: string, name: string) => ({
  timeProgramId,
  reported: { ...reportedProgram, name },
  ...standing,
});

/** Returns the parts of a circuit with time programs of these names, or of one without time programs. */
const partsOf = (family: 'heating' | 'dhw', circuitId: string, names: readonly string[]): HomePart[] => {
  const circuit = circuitOf(family, circuitId);
  const position = `${family}#${circuitId}`;
  const parts =
    names.length === 0
      ? [{ family, circuit, timeProgram: undefined, position }]
      : names.map((name, index) => ({
          family,
          circuit,
          timeProgram: programOf(`${index}`, name),
          position: `${position}#${index}`,
        }));
  return parts as HomePart[];
};

const bytesOf = (body: object) => Buffer.byteLength(JSON.stringify(body));

/** The bytes of a cursor whose ids have the maximum length. */
const longestCursorBytes = Buffer.byteLength(
  JSON.stringify(encodeCursor('', ['heating', ...['c', 'p'].map((id) => id.repeat(maxIdCharacters))].join('#'))),
);

const gateway = { gatewayId: 'gw-1', name: 'Käller' };
const gatewayPart: GatewayPart<'heating'> = {
  connectivity: 'offline' as const,
  connectivitySince: '2036-03-10T12:00:00.123Z',
  stale: false,
  limits: limitsOf({}, 'heating', 'hc1'),
};
const answerWith = (include = whole) => homeAnswer(callWith({ include }), gateway, () => gatewayPart as never);
const answerTo = (parts: readonly HomePart[], next?: string, include = whole) =>
  answerWith(include).answerOf({ parts, next }).body;

/** Returns the circuits of an answer and their numbers of time programs. */
const shownIn = ({ heatingCircuits, dhwCircuits }: ReturnType<typeof answerTo>) =>
  [...heatingCircuits, ...dhwCircuits].map(({ circuitId, timePrograms }) => [circuitId, timePrograms?.length]);

describe('a page', () => {
  const parts = [...partsOf('dhw', 'd1', ['a', 'b']), ...partsOf('dhw', 'd2', []), ...partsOf('heating', 'h1', ['c'])];

  test('has each circuit once, in its family, with all of its time programs', () => {
    const body = answerTo(parts);
    expect(body).toMatchObject({ ...gateway, nextCursor: null });
    expect(body.heatingCircuits.map(({ circuitId }) => circuitId)).toEqual(['h1']);
    expect(shownIn(body)).toEqual([
      ['h1', 1],
      ['d1', 2],
      ['d2', 0],
    ]);
    expect(body.dhwCircuits[0]?.timePrograms?.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  test('has no time programs if they are not asked for', () => {
    expect(shownIn(answerTo(parts, undefined, 'circuits'))).toEqual([
      ['h1', undefined],
      ['d1', undefined],
      ['d2', undefined],
    ]);
  });

  test('has a cursor to the next part', () => {
    const { nextCursor } = answerTo(parts, 'heating#h1#0');
    expect(homeStart(callWith({ include: whole, cursor: `${nextCursor}` }))).toBe('heating#h1#0');
  });
});

describe('a page holds', () => {
  /**
   * Reserved for a cursor instead of null, and for the commas after the page, the last circuit of each family and the last
   * time program.
   */
  const keptBytes = longestCursorBytes - Buffer.byteLength('null') + 4;

  /** Returns the number of parts shown if the first three leave this many bytes of the page. */
  const shownCount = (leftBytes: number) => {
    const homeOf = (name: string) => [
      ...partsOf('heating', 'h1', []),
      ...partsOf('dhw', 'd1', ['a'.repeat(1000), name, 'behind it']),
    ];
    const bytesLeft = maxPageBytes - leftBytes - bytesOf(answerTo(homeOf('').slice(0, 3)));
    const parts = homeOf('ä'.repeat(bytesLeft / 2) + 'a'.repeat(bytesLeft % 2));
    expect(bytesOf(answerTo(parts.slice(0, 2)))).toBeLessThan(maxPageBytes);
    const body = answerTo(parts);
    const shown = shownIn(body).reduce((sum, [, programs]) => sum + Math.max(1, Number(programs)), 0);
    expect(homeStart(callWith({ include: whole, cursor: `${body.nextCursor}` }))).toBe(parts[shown - 1]?.position);
    return shown;
  };

  test('exactly the bytes that fit with the longest cursor', () => {
    expect([keptBytes + 1, keptBytes, keptBytes - 1].map(shownCount)).toEqual([3, 3, 2]);
  });

  test('at least one part, whatever its size', () => {
    const parts = partsOf('heating', 'h1', ['a'.repeat(maxPageBytes), 'b', 'c']);
    expect(shownIn(answerTo(parts))).toEqual([['h1', 1]]);
    expect(shownIn(answerTo(parts.slice(1)))).toEqual([['h1', 2]]);
  });
});

describe('room for more time programs', () => {
  const { roomBehind } = answerWith();
  const partsWith = (count: number, characters: number) =>
    partsOf('heating', 'h1', Array(count).fill('a'.repeat(characters)));

  test('is the number that fits, if the next ones have the same length', () => {
    for (const characters of [100, 1000, 10_000]) {
      const fitting = shownIn(answerTo(partsWith(1000, characters)))[0]?.[1] as number;
      const room = roomBehind(partsWith(fitting - 5, characters), fitting - 5);
      expect(Math.abs(room - 5), `${characters}`).toBeLessThanOrEqual(1);
    }
  });

  test('is zero if the next one fits only in part', () => {
    expect(roomBehind(partsWith(1, 0.6 * maxPageBytes), 1)).toBe(0);
  });

  test('is zero if the response is full, and unlimited if it is empty', () => {
    expect(roomBehind(partsWith(1, maxPageBytes), 1)).toBeLessThan(1);
    expect(roomBehind([], 30)).toBe(Number.POSITIVE_INFINITY);
  });

  test('is larger if some of the programs have no circuit and are not shown', () => {
    const parts = partsWith(10, 1000);
    expect(roomBehind(parts, 10)).toBeLessThan(roomBehind(parts, 20));
  });
});

describe('a cursor', () => {
  const cursorAt = (position: string, include = whole) => `${answerTo([], position, include).nextCursor}`;
  const startOf = (query: { include?: string; cursor?: string }, gatewayId?: string) =>
    homeStart(callWith(query, gatewayId));

  test.each(['heating#c1', 'dhw#c-1.x', 'heating#c1#2'])('is valid with the position %s', (position) => {
    expect(startOf({ include: whole, cursor: cursorAt(position) })).toBe(position);
  });

  test.each(['heating', 'heating#', '#c1', 'xheating#c1', 'dhwx#c1', 'heating#c1#1#1', 'heating#c1#', 'dhw#c/1#1'])(
    'that was forged for %j is refused',
    (position) => {
      expect(startOf({ include: whole, cursor: cursorAt(position) })).toBeInstanceOf(Problem);
    },
  );

  test('is valid only for its home and its include, in any order; the first page needs no cursor', () => {
    const cursor = cursorAt('heating#c1#1');
    expect(startOf({ include: 'timePrograms', cursor })).toBe('heating#c1#1');
    expect(startOf({ include: whole })).toBeUndefined();
    const ofCircuits = cursorAt('heating#c1', 'circuits');
    for (const refused of [
      startOf({ include: whole, cursor }, 'gw-2'),
      startOf({ include: 'circuits', cursor }),
      startOf({ include: whole, cursor: ofCircuits }),
      startOf({ cursor: ofCircuits }),
    ])
      expect(refused).toBeInstanceOf(Problem);
  });
});
