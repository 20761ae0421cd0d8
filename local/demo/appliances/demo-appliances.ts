import type { Company } from '../../../config/schema.ts';
import type { ApplianceFunction } from '../../../lambdas/api/schemas/gateway.ts';

/** The ways in which an appliance differs from one that is online and well. */
type Peculiarities = {
  /** Takes requested changes and never confirms them. */
  readonly isOffline?: boolean;
  /** The heating circuit whose room sensor is open. */
  readonly openRoomSensorIn?: string;
  /** The functions that it blocks to protect itself, again soon after a block has ended. */
  readonly blocks?: readonly ApplianceFunction[];
};

/** An appliance of the demo world, named by the gateway that it is reached through. */
export type DemoAppliance = Peculiarities & { readonly gatewayId: string; readonly name: string };

/** Lists the peculiar ones by company, in the order of its gateways; all others are well. */
const peculiarities: Readonly<Record<string, readonly Peculiarities[]>> = {
  acme: [{ openRoomSensorIn: 'hc2' }, { isOffline: true }, { blocks: ['heatingTimePrograms', 'dhwTimePrograms'] }],
};

export const appliancesOf = ({ companyId, gatewayIds = [] }: Company): DemoAppliance[] =>
  gatewayIds.map((gatewayId, index) => ({
    gatewayId,
    name: `Home ${index + 1}`,
    ...peculiarities[companyId]?.[index],
  }));
