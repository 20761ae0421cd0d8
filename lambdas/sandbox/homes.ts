import type { ApplianceProfile, Peculiarities } from '../../simulator/factory-settings.ts';

/** A simulated home: its owner has a contract with one company, which covers the gateway of the home. */
export type SimulatedHome = {
  readonly companyId: string;
  readonly userId: string;
  readonly appliance: ApplianceProfile;
};

/** Returns the gateways of the first `count` homes of a company. */
export const simulatedGatewayIds = (companyId: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${companyId}-${index + 1}`);

/** Returns the home of a gateway, which follows from the id; undefined if no simulated home has such an id. */
export const homeOf = (gatewayId: string): SimulatedHome | undefined => {
  const { companyId, number } = form.exec(gatewayId)?.groups ?? {};
  if (companyId === undefined) return undefined;
  return {
    companyId,
    userId: `${prefix}-owner-${companyId}-${number}`,
    appliance: { gatewayId, name: `Home ${number}`, ...peculiarities[Number(number) - 1] },
  };
};

const prefix = 'sim';
const form = new RegExp(`^${prefix}-(?<companyId>[a-z0-9]{2,24})-(?<number>[1-9]\\d?)$`);

/** How the first homes of each company differ from an ordinary one, in their order. */
const peculiarities: readonly Peculiarities[] = [{ cools: true }, { isOld: true }, { openRoomSensorIn: 'hc2' }];
