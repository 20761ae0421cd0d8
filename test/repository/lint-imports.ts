import { resolve } from 'node:path';
import { findForbiddenImports } from './import-check.ts';
import { layers, packages } from './layers.ts';

/** Part of `npm run lint`: prints each import that `layers.ts` does not allow, and ends with 1 if there is one. */
const faults = findForbiddenImports(resolve('.'), layers, packages);
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
