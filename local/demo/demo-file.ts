import { existsSync, readFileSync } from 'node:fs';
import type { DemoCompany } from './demo-world.ts';

/** Holds all that a client needs to try the service, as `demo.json` does. */
export type Demo = { readonly baseUrl: string; readonly caFile: string; readonly companies: readonly DemoCompany[] };

/** Reads the companies of the run that has written the file; none where there is no file. */
export const companiesIn = (demoFile: string): readonly DemoCompany[] =>
  existsSync(demoFile) ? (JSON.parse(readFileSync(demoFile, 'utf8')) as Demo).companies : [];
