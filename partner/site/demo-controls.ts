import { controlRows, programName, usageOf } from '../../local/controls/controls.ts';
import { tableOf } from './markdown.ts';

/** Returns the table of the demo world's controls. */
export const demoControlTable = (): string =>
  tableOf(
    [`\`${programName} …\``, 'what happens', 'what you see'],
    controlRows.map(([name, { does, seen }]) => [`\`${usageOf(name)}\``, does, seen]),
  );
