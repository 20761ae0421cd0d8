import { join } from 'node:path';
import { readJsonIfWhole } from 'serve-stack/host';
import { type ApplianceState, reconnectedAppliance } from './appliances/appliance-state.ts';

/** An appliance keeps its settings when the service is off: a run that keeps its data writes them here. */
export const appliancesFileIn = (directory: string): string => join(directory, 'appliances.json');

/** Reads the appliances as the last run left them; none where that cannot be read. */
export const keptAppliancesIn = (directory: string): readonly ApplianceState[] =>
  (readJsonIfWhole<ApplianceState[]>(appliancesFileIn(directory)) ?? []).map(reconnectedAppliance);
