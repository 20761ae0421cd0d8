import * as z from 'zod';
import { defineCommand } from '../cli/command.ts';
import { completionScript, shells } from '../cli/completion.ts';
import { noRequirements } from '../cli/roles.ts';

export const completion = defineCommand({
  noun: 'completion',
  summary: 'Print a script for the completion of commands, options and their values in a shell',
  arguments: {
    shell: { summary: shells.join(', '), schema: z.enum(shells, `is not one of ${shells.join(', ')}.`) },
  },
  options: {},
  changes: false,
  requirements: noRequirements,
  output: z.strictObject({ shell: z.enum(shells), script: z.string() }),
  run: async ({ program }, { shell }) => ({ shell, script: completionScript(shell, program) }),
  view: ({ script }) => [{ text: script.trimEnd() }],
});
