import { writeFileSync } from 'node:fs';
import { commands } from '../commands.ts';
import { manualFile, manualOf } from './manual.ts';

writeFileSync(manualFile, manualOf(commands));
