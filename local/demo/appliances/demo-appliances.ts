import type { Company } from '../../../config/company.ts';
import type { ApplianceProfile, Peculiarities } from '../../../simulator/factory-settings.ts';

/** The exceptions by company, in the order of its gateways; all other appliances are healthy and online. */
const peculiarities: Readonly<Record<string, readonly Peculiarities[]>> = {
  acme: [
    { openRoomSensorIn: 'hc2', cools: true },
    { isOffline: true },
    { blocks: ['heatingTimePrograms', 'dhwTimePrograms'], isOld: true },
  ],
};

export const appliancesOf = ({ companyId, gatewayIds = [] }: Company): ApplianceProfile[] =>
  gatewayIds.map((gatewayId, index) => ({
    gatewayId,
    name: `Home ${index + 1}`,
    ...peculiarities[companyId]?.[index],
  }));
