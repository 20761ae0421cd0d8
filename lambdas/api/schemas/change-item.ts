import * as z from 'zod/mini';
import { id } from './common.ts';

/** The family of a circuit, as events name it. */
export const family = () => z.enum(['heating', 'dhw']);

/** What a change was requested of, within its gateway. */
export const changeItem = () =>
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('circuit'), family: family(), circuitId: id() }),
    z.object({ kind: z.literal('time-program'), family: family(), circuitId: id(), timeProgramId: id() }),
  ]);

export const changeItemDescriptions = () => ({
  kind: 'Whether the change is one of a circuit or of a time program.',
  family: 'The family of the circuit: room heating, or hot water (dhw).',
  circuitId: 'The id of the circuit within its gateway and family.',
  timeProgramId: 'The id of the time program within its circuit.',
});
