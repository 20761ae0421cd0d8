import type { FamilyName } from '../api/endpoints/circuit-endpoints.ts';
import { maxPageBytes } from '../api/limits.ts';
import { invalidRequest } from '../api/problems.ts';
import { idPattern, pointerTo } from '../api/schemas/common.ts';
import { maxHomePositionCharacters } from '../api/schemas/home.ts';
import type { HomePage, HomePart } from '../data/appliances/home.ts';
import type { Circuit } from '../domain/appliance.ts';
import { decodeCursor, encodeCursor } from '../domain/encoding.ts';
import { bucketIdOf, type RateLimitKey } from '../domain/rate-limits.ts';
import { dhwCircuitBody, type GatewayPart, heatingCircuitBody, timeProgramBody } from './appliances.ts';
import { bytesOf } from './pages.ts';

type HomeCall = {
  readonly rateLimitKey: RateLimitKey;
  readonly query: { readonly include?: string | undefined; readonly cursor?: string | undefined };
};

/** Returns whether circuits are shown with their time programs. */
export const includesTimePrograms = ({ query: { include = '' } }: HomeCall): boolean =>
  include.includes('timePrograms');

/**
 * Returns the position after which the page begins; undefined for the first page. Refuses a cursor that is not from this
 * home.
 */
export const homeStart = (call: HomeCall) => {
  const { include, cursor } = call.query;
  if (cursor === undefined) return undefined;
  const position = include === undefined ? undefined : decodeCursor(scopeOf(call), cursor);
  // A forged cursor with a valid checksum must not reach the store: its position would not be a valid key there.
  if (position !== undefined && isPosition(position)) return position;
  return invalidRequest([
    {
      pointer: pointerTo('query', 'cursor'),
      detail: 'Expected a nextCursor of this gateway, unchanged, with the include of the request that brought it.',
    },
  ]);
};

const isPosition = (position: string): boolean => {
  const [family = '', ...ids] = position.split('#');
  return /^(heating|dhw)$/.test(family) && [1, 2].includes(ids.length) && ids.every((id) => idPattern.test(id));
};

/** The two scopes differ, because a cursor of circuits alone says nothing about time programs before it. */
const scopeOf = (call: HomeCall): string =>
  `${bucketIdOf(call.rateLimitKey)} ${includesTimePrograms(call) ? 'timePrograms' : 'circuits'}`;

/**
 * Builds the response with a gateway and its home. `answerOf` returns as many parts as fit, at least one, and a cursor for the
 * rest; `next` is where the parts after the page begin. A circuit whose time programs do not all fit is repeated on the next
 * page with the remaining ones. `roomBehind` estimates how many more time programs fit after the given parts, which contain
 * `programs` time programs.
 */
export const homeAnswer = <GatewayBody extends object>(
  call: HomeCall,
  gateway: GatewayBody,
  gatewayPartOf: <Family extends FamilyName>(family: Family, circuit: Circuit) => GatewayPart<Family>,
) => {
  const withTimePrograms = includesTimePrograms(call);
  const heatingBody = (circuit: Circuit<'heating'>) => ({
    ...heatingCircuitBody(circuit),
    ...gatewayPartOf('heating', circuit),
  });
  const dhwBody = (circuit: Circuit<'dhw'>) => ({ ...dhwCircuitBody(circuit), ...gatewayPartOf('dhw', circuit) });
  const bytesOfCircuit = (part: HomePart) =>
    bytesOf({ ...(isHeating(part) ? heatingBody(part.circuit) : dhwBody(part.circuit)), timePrograms: [] });
  const bodyOf = (shown: readonly HomePart[], nextCursor: string | null) => ({
    ...gateway,
    heatingCircuits: circuitsOf(shown.filter(isHeating), withTimePrograms, heatingBody, timeProgramBody),
    dhwCircuits: circuitsOf(shown.filter(isDhw), withTimePrograms, dhwBody, timeProgramBody),
    nextCursor,
  });
  const maxBytes = maxPageBytes - bytesOf(bodyOf([], longestCursor));
  return {
    roomBehind: (parts: readonly HomePart[], programs: number): number => {
      const bytes = bytesUpTo(parts, bytesOfCircuit).at(-1) ?? 0;
      // Assumes that the following time programs have the same mean length, including their circuits.
      return Math.floor((programs * (maxBytes - bytes)) / bytes);
    },
    answerOf: ({ parts, next }: HomePage) => {
      const tooMany = bytesUpTo(parts, bytesOfCircuit).findIndex((bytes, index) => bytes > maxBytes && index > 0);
      const shown = tooMany === -1 ? parts : parts.slice(0, tooMany);
      const end = shown.length < parts.length ? shown.at(-1)?.position : next;
      return { body: bodyOf(shown, end === undefined ? null : encodeCursor(scopeOf(call), end)) };
    },
  };
};

type PartOf<Family> = Extract<HomePart, { family: Family }>;

const isHeating = (part: HomePart): part is PartOf<'heating'> => part.family === 'heating';
const isDhw = (part: HomePart): part is PartOf<'dhw'> => part.family === 'dhw';

/** Returns the circuits of the parts, each once, with the time programs of all its parts. */
const circuitsOf = <Circuit, TimeProgram, CircuitBody, TimeProgramBody>(
  parts: readonly { readonly circuit: Circuit; readonly timeProgram: TimeProgram | undefined }[],
  isWithTimePrograms: boolean,
  toBody: (circuit: Circuit) => CircuitBody,
  toProgramBody: (timeProgram: TimeProgram) => TimeProgramBody,
) =>
  [...Map.groupBy(parts, ({ circuit }) => circuit)].map(([circuit, own]) => ({
    ...toBody(circuit),
    ...(isWithTimePrograms && {
      timePrograms: own.flatMap(({ timeProgram }) => (timeProgram ? [toProgramBody(timeProgram)] : [])),
    }),
  }));

/** Returns the cumulative size of the response in bytes, up to and including each part. */
const bytesUpTo = (parts: readonly HomePart[], bytesOfCircuit: (part: HomePart) => number): number[] => {
  let bytes = 0;
  return parts.map((part, index) => {
    const isOfNewCircuit = part.circuit !== parts[index - 1]?.circuit;
    bytes +=
      (isOfNewCircuit ? bytesOfCircuit(part) : 0) + (part.timeProgram ? bytesOf(timeProgramBody(part.timeProgram)) : 0);
    return bytes;
  });
};

const longestCursor = encodeCursor('', 'x'.repeat(maxHomePositionCharacters));
