import * as z from 'zod/mini';
import { maxPageBytes, maxTimeProgramsPerCircuit } from '../limits.ts';
import { dhwCircuit, dhwCircuitDocs, heatingCircuit, heatingCircuitDocs } from './circuit.ts';
import { cursor, type Descriptions, type Documentation, maxIdCharacters } from './common.ts';
import { dhwTimeProgram, dhwTimeProgramDocs, heatingTimeProgram, heatingTimeProgramDocs } from './time-program.ts';

/** What an answer with a gateway can include. Time programs are shown in their circuits, and so bring them along. */
const includes = ['circuits', 'circuits,timePrograms', 'timePrograms', 'timePrograms,circuits'] as const;

/** The query of a gateway. */
export const gatewayQuery = () =>
  z.object({
    include: z.optional(z.enum(includes, 'Expected circuits, timePrograms or both, with a comma between them.')),
    cursor: z.optional(homeCursor()),
  });

export const gatewayQueryDescriptions = (): Descriptions<z.output<ReturnType<typeof gatewayQuery>>> => ({
  include: `What the response includes in addition to the gateway: its circuits, in the form of their own operations, and optionally the time programs of each circuit. A response has at most ${maxPageBytes} bytes; the rest is on further pages.`,
  cursor: 'The `nextCursor` of the previous page, unchanged, with the same `include`.',
});

/** The position of a home's cursor names a family, a circuit and a time program. */
export const maxHomePositionCharacters = 'heating##'.length + 2 * maxIdCharacters;

export const homeCursor = () => cursor(maxHomePositionCharacters);

const ofCircuit = <Program extends z.ZodMiniType>(program: Program) => ({
  timePrograms: z.optional(z.array(program).check(z.maxLength(2 * maxTimeProgramsPerCircuit + 1))),
});

export const heatingCircuitWithPrograms = () => z.extend(heatingCircuit(), ofCircuit(heatingTimeProgram()));
export const dhwCircuitWithPrograms = () => z.extend(dhwCircuit(), ofCircuit(dhwTimeProgram()));

const timeProgramsDescription = 'The time programs of the circuit on this page; absent if only circuits are included.';

export const heatingCircuitWithProgramsDocs = (): Documentation<typeof heatingCircuitWithPrograms> => ({
  example: { ...heatingCircuitDocs().example, timePrograms: [heatingTimeProgramDocs().example] },
  properties: {
    ...heatingCircuitDocs().properties,
    timePrograms: { description: timeProgramsDescription, properties: heatingTimeProgramDocs().properties },
  },
});

export const dhwCircuitWithProgramsDocs = (): Documentation<typeof dhwCircuitWithPrograms> => ({
  example: { ...dhwCircuitDocs().example, timePrograms: [dhwTimeProgramDocs().example] },
  properties: {
    ...dhwCircuitDocs().properties,
    timePrograms: { description: timeProgramsDescription, properties: dhwTimeProgramDocs().properties },
  },
});
