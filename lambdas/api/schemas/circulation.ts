import * as z from 'zod/mini';
import { maxWords } from './circuit-limits.ts';
import { id, mayBeAbsent, openEnum, word } from './common.ts';

/** The time program of the circulation pump, which is one of a hot-water circuit, and the levels of its switch points. */
export type Circulation = { readonly timeProgramId: string; readonly levels: string[] };

/** The levels of a circulation pump whose appliance describes none. */
export const defaultCirculationLevels = ['on', 'off'];

/** The circulation as an answer has it. */
export const circulation = () =>
  z.nullable(
    z.looseObject({
      timeProgramId: id(),
      levels: z.array(word(defaultCirculationLevels)).check(z.maxLength(maxWords)),
    }),
  );

/** The circulation as a backend describes it. */
export const describedCirculation = () =>
  z.object({
    timeProgramId: id(),
    levels: mayBeAbsent(z.array(openEnum(defaultCirculationLevels)).check(z.maxLength(maxWords))),
  });

export const circulationDescription = () => ({
  description:
    'The circulation pump of the hot water. Its time program is read and changed like the other time programs of the circuit, and cannot be the active one of the circuit',
  properties: {
    timeProgramId: 'The id of the time program of the circulation pump.',
    levels: 'The allowed levels of switch points in this time program',
  },
});
