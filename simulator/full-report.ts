import type { ApplianceState } from './appliance-state.ts';
import { type ApplianceProfile, circulationOf, limitsOf, nameplateOf } from './factory-settings.ts';
import { type GatewayReport, gatewayReport } from './gateway-report.ts';

/**
 * Describes an appliance and reports the content of all its items, whether they have changed or not. The description comes
 * first, because the service waits for it before it applies the reports of a new gateway.
 */
export const fullReport = (appliance: ApplianceProfile, state: ApplianceState, atMs: number): GatewayReport[] => {
  const { gatewayId, circuits, holiday } = state;
  const { gatewayId: _, ...description } = descriptionOf(appliance, state);
  return [
    gatewayReport('gateway.described.v1', gatewayId, description, atMs),
    ...circuits.flatMap((circuit) => {
      const { family, circuitId, content, timePrograms } = circuit;
      circuit.reported = content;
      return [
        gatewayReport('circuit.reported.v1', gatewayId, { family, circuitId, reported: content } as never, atMs),
        ...timePrograms.map(({ timeProgramId, content: program }) => {
          const data = { family, circuitId, timeProgramId, ...program };
          return gatewayReport('time-program.reported.v1', gatewayId, data as never, atMs);
        }),
      ];
    }),
    ...(holiday ? [gatewayReport('holiday.reported.v1', gatewayId, holiday.content, atMs)] : []),
  ];
};

/** Returns how the gateway backend describes an appliance. */
export const descriptionOf = (appliance: ApplianceProfile, { circuits }: Pick<ApplianceState, 'circuits'>) => ({
  ...nameplateOf(appliance),
  circuits: circuits.map(({ family, circuitId, timePrograms }) => ({
    family,
    circuitId,
    timeProgramIds: timePrograms.map(({ timeProgramId }) => timeProgramId),
    limits: limitsOf(appliance, circuitId),
    circulation: circulationOf(appliance, family),
  })),
});
