import { readJsonIfWhole } from 'serve-stack/host';
import type { DemoCompany } from './demo-world.ts';

/** Holds all that a client needs to try the service, as `demo.json` does. */
export type Demo = { readonly baseUrl: string; readonly caFile: string; readonly companies: readonly DemoCompany[] };

/** Reads the companies of the run that has written the file; none where it cannot be read. */
export const companiesIn = (demoFile: string): readonly DemoCompany[] =>
  readJsonIfWhole<Demo>(demoFile)?.companies ?? [];
