import { controlRows, programName, usageOf } from '../../local/controls/controls.ts';
import { tableOf } from './markdown.ts';

/** The controls of the demo world, from their rows. */
export const demoControlTable = (): string =>
  tableOf(
    [`\`${programName} …\``, 'what happens', 'what you see'],
    controlRows.map(([name, { does, seen }]) => [`\`${usageOf(name)}\``, does, seen]),
  );
