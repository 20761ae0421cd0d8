import { expect } from 'vitest';
import type { RequestedChangeEvent } from '../../lambdas/api/requested-change.ts';
import { readEvent } from '../../lambdas/inbound/read-event.ts';
import type { ApplianceCommand } from '../../simulator/appliance-commands.ts';
import { installedAppliance, reconnectedAppliance } from '../../simulator/appliance-state.ts';
import type { ApplianceProfile } from '../../simulator/factory-settings.ts';
import type { GatewayReport } from '../../simulator/gateway-report.ts';
import { createSimulatedAppliance } from '../../simulator/simulated-appliance.ts';

/** Saturday, 10:00: every time program is at comfort. */
export const startMs = Date.parse('2026-11-21T10:00:00Z');
export const gatewayId = 'gw-1001';

/** An appliance installed at the start. The scene checks that the consumer accepts each of its reports. */
export const install = (peculiarities: Partial<ApplianceProfile> = {}) => {
  const demoAppliance = { gatewayId, name: 'Home', ...peculiarities };
  let appliance = createSimulatedAppliance(demoAppliance, installedAppliance(demoAppliance, startMs));
  return {
    receive: (change: RequestedChangeEvent, afterMs: number) => appliance.receive(change, startMs + afterMs),
    step: (afterMs: number) => taken(appliance.step(startMs + afterMs), afterMs),
    /** Runs a command and returns its reports, or the reason why it sends no reports. */
    command: (command: ApplianceCommand, afterMs: number) => {
      const reports = command(appliance, startMs + afterMs);
      return typeof reports === 'string' ? reports : taken(reports, afterMs);
    },
    /** Ends the run and starts another from the state as JSON. */
    restart: () => {
      const kept = JSON.parse(JSON.stringify(appliance.state));
      appliance = createSimulatedAppliance(demoAppliance, reconnectedAppliance(kept));
    },
  };
};

const taken = (reports: readonly GatewayReport[], afterMs: number) => {
  for (const report of reports) {
    const { refusal, event } = readEvent('gatewayReports', JSON.stringify(report), startMs + afterMs);
    expect([refusal, event?.timeMs]).toEqual([undefined, startMs + afterMs]);
  }
  return reports.map(({ type, subject, data }) => ({ type, subject, data: data as Data }));
};

export type Data = Readonly<Record<string, unknown>> & { readonly reported?: Readonly<Record<string, unknown>> };

export type Item = RequestedChangeEvent['data']['item'];
export const circuit: Item = { kind: 'circuit', family: 'heating', circuitId: 'hc1' };
export const program: Item = { ...circuit, kind: 'time-program', timeProgramId: '1' };

/** The circuit does not follow it. */
export const inactiveProgram: Item = { ...circuit, kind: 'time-program', timeProgramId: '2' };

export const change = (version: number, desired: RequestedChangeEvent['data']['desired'], item: Item = circuit) =>
  ({ subject: gatewayId, data: { item, version, desired } }) as RequestedChangeEvent;

export const reportOfCircuit = (fulfilsVersion: number | undefined, reported: object) => ({
  type: 'circuit.reported.v1',
  subject: gatewayId,
  data: { family: 'heating', circuitId: 'hc1', fulfilsVersion, reported: expect.objectContaining(reported) },
});
