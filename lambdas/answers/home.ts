import { maxHomeBytes } from '../api/limits.ts';
import { invalidRequest } from '../api/problems.ts';
import { idPattern, pointerTo } from '../api/schemas/common.ts';
import type { HomePart } from '../data/appliances/home.ts';
import { decodeCursor, encodeCursor } from '../domain/encoding.ts';
import { bucketIdOf, type RateLimitKey } from '../domain/rate-limits.ts';
import { dhwCircuitBody, heatingCircuitBody, timeProgramBody } from './appliances.ts';

type HomeCall = {
  readonly rateLimitKey: RateLimitKey;
  readonly query: { readonly include?: string | undefined; readonly cursor?: string | undefined };
};

/** Whether circuits are shown with their time programs. */
export const includesTimePrograms = ({ query: { include = '' } }: HomeCall): boolean =>
  include.includes('timePrograms');

/** The position behind which the page begins; undefined for the first. Refuses a cursor that is not one of this home. */
export const homeStart = (call: HomeCall) => {
  const { include, cursor } = call.query;
  if (cursor === undefined) return undefined;
  const position = include === undefined ? undefined : decodeCursor(scopeOf(call), cursor);
  // One that was made up, its checksum included, must not get to the store: its position would not pass for a key there.
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
  return /^(heating|dhw)$/.test(family) && /^[12]$/.test(`${ids.length}`) && ids.every((id) => idPattern.test(id));
};

/** A cursor of circuits alone says nothing of time programs before it. */
const scopeOf = (call: HomeCall): string =>
  `${bucketIdOf(call.rateLimitKey)} ${includesTimePrograms(call) ? 'timePrograms' : 'circuits'}`;

/**
 * The answer with a gateway and as many parts of its home as it may hold, one at least; behind them all comes what begins at
 * `next`. A circuit whose time programs do not all fit comes again on the next page, with those that follow.
 */
export const homeAnswer = <GatewayBody extends object>(
  call: HomeCall,
  gateway: GatewayBody,
  { parts, next }: { readonly parts: readonly HomePart[]; readonly next: string | undefined },
) => {
  const shown = parts.slice(0, fittingCount(parts, maxHomeBytes - bytesOf(gateway) - bytesAround.page));
  const end = shown.length < parts.length ? shown.at(-1)?.position : next;
  const isWithTimePrograms = includesTimePrograms(call);
  return {
    body: {
      ...gateway,
      heatingCircuits: circuitsOf(shown.filter(isHeating), isWithTimePrograms, heatingCircuitBody, timeProgramBody),
      dhwCircuits: circuitsOf(shown.filter(isDhw), isWithTimePrograms, dhwCircuitBody, timeProgramBody),
      nextCursor: end === undefined ? null : encodeCursor(scopeOf(call), end),
    },
  };
};

type PartOf<Family> = Extract<HomePart, { family: Family }>;

const isHeating = (part: HomePart): part is PartOf<'heating'> => part.family === 'heating';
const isDhw = (part: HomePart): part is PartOf<'dhw'> => part.family === 'dhw';

/** The circuits of the parts, each once, with the time programs of all of its parts. */
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

/** How many of the parts fit into so many bytes, one at least. */
const fittingCount = (parts: readonly HomePart[], maxBytes: number): number => {
  let bytes = 0;
  const tooMany = parts.findIndex((part, index) => {
    const isOfNewCircuit = part.circuit !== parts[index - 1]?.circuit;
    bytes += (isOfNewCircuit ? circuitBytes(part) : 0) + programBytes(part);
    return bytes > maxBytes && index > 0;
  });
  return tooMany < 0 ? parts.length : tooMany;
};

/** More than the names, brackets and commas take of the answer, and the cursor of a page. */
const bytesAround = { page: 512, circuit: 32, timeProgram: 1 } as const;

const circuitBytes = (part: HomePart): number =>
  bytesAround.circuit + bytesOf(isHeating(part) ? heatingCircuitBody(part.circuit) : dhwCircuitBody(part.circuit));

const programBytes = ({ timeProgram }: HomePart): number =>
  timeProgram ? bytesAround.timeProgram + bytesOf(timeProgramBody(timeProgram)) : 0;

const bytesOf = (body: object): number => Buffer.byteLength(JSON.stringify(body));
