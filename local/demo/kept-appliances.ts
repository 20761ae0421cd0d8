import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ApplianceState, reconnectedAppliance } from './appliances/appliance-state.ts';

/** An appliance keeps its settings when the service is off: a run that keeps its data writes them here. */
export const appliancesFileIn = (directory: string): string => join(directory, 'appliances.json');

/** Reads the appliances as the last run left them; none where it has kept none. */
export const keptAppliancesIn = (directory: string): readonly ApplianceState[] => {
  const file = appliancesFileIn(directory);
  if (!existsSync(file)) return [];
  return (JSON.parse(readFileSync(file, 'utf8')) as ApplianceState[]).map(reconnectedAppliance);
};
