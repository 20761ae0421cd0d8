import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { consumerNames } from '../../../lambdas/api/background-functions.ts';
import type { NeighbourConnections } from '../../../local/connections.ts';
import { connectToQueues } from '../../../local/demo/appliances/backend-queues.ts';
import type { Integrations } from '../../../operator/integrations/integrations.ts';
import { gatewayReport } from '../../../simulator/gateway-report.ts';
import { killIfRunning } from '../../../test/support/processes.ts';
import { below } from '../../../test/support/random.ts';

export const gatewayIds = Array.from({ length: 10 }, (_, index) => `gw-soak-${index}`);

type Company = { readonly companyId: string; readonly userId: string };

/** Sends events about gateways, as the backend and the portal do, and remembers the last one of each kind per gateway. */
export const openIntegrationTraffic = async (
  { region, gatewayBackend }: NeighbourConnections,
  {
    integrations,
    company,
    random,
  }: { readonly integrations: Integrations; readonly company: Company; readonly random: () => number },
) => {
  const queues = connectToQueues({ region, ...gatewayBackend });
  const temperatures = new Map<string, number>();
  const grants = new Map<string, boolean>();
  const eventIds: string[] = [];
  let lastMs = 0;
  /** Returns the present time, distinct for each event. */
  const now = () => {
    lastMs = Math.max(lastMs + 1, Date.now());
    return lastMs;
  };
  const anyGateway = () => gatewayIds[below(random, gatewayIds.length)] ?? '';
  const circuits = [{ family: 'heating' as const, circuitId: 'hc1', timeProgramIds: ['1'] }];
  const described = gatewayIds.map((id) =>
    gatewayReport('gateway.described.v1', id, { name: id, type: 'heat-pump', circuits }, now()),
  );
  await queues.send(described);
  eventIds.push(...described.map(({ id }) => id));

  return {
    temperatures: temperatures as ReadonlyMap<string, number>,
    grants: grants as ReadonlyMap<string, boolean>,
    eventIds: eventIds as readonly string[],
    report: async (): Promise<void> => {
      const reports = Array.from({ length: 5 }, () => {
        const gatewayId = anyGateway();
        const roomTemperatureCelsius = below(random, 300) / 10;
        temperatures.set(gatewayId, roomTemperatureCelsius);
        const reported = {
          operationMode: 'auto' as const,
          roomSetpointCelsius: 21,
          activeTimeProgramId: '1',
          roomTemperatureCelsius,
          supplyTemperatureCelsius: 38,
        };
        return gatewayReport(
          'circuit.reported.v1',
          gatewayId,
          { family: 'heating', circuitId: 'hc1', reported },
          now(),
        );
      });
      eventIds.push(...reports.map(({ id }) => id));
      await queues.send(reports);
    },
    install: async (): Promise<void> => {
      const gatewayId = anyGateway();
      const isGranted = below(random, 2) === 0;
      grants.set(gatewayId, isGranted);
      const type = `portal.installation.${isGranted ? 'added' : 'removed'}.v1`;
      const id = randomUUID();
      eventIds.push(id);
      const event = {
        specversion: '1.0',
        id,
        source: 'portal',
        type,
        subject: company.companyId,
        time: new Date(now()).toISOString(),
        data: { userId: company.userId, gatewayId },
      };
      await integrations.putPortalEvent({ type, text: JSON.stringify(event) });
    },
    close: () => queues.close(),
  };
};

export type IntegrationTraffic = Awaited<ReturnType<typeof openIntegrationTraffic>>;

/** Returns the process ids of the consumers of a local run: the environment of each process names its function. */
const consumerProcesses = (serverPid: number): number[] =>
  execFileSync('ps', ['axeww', '-o', 'pid=,ppid=,command='], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
    .split('\n')
    .map((line) =>
      line
        .trim()
        .split(/\s+/, 2)
        .map(Number)
        .concat(isConsumer(line) ? 1 : 0),
    )
    .filter(([, parent, isOne]) => parent === serverPid && isOne === 1)
    .map(([pid]) => pid as number);

const isConsumer = (line: string): boolean =>
  consumerNames.some((name) => new RegExp(`AWS_LAMBDA_FUNCTION_NAME=\\S+-${name}(\\s|$)`).test(line));

/** Kills the process of a random consumer at any moment; returns whether there was one. */
export const killConsumer = (serverPid: number, random: () => number): boolean => {
  const pids = consumerProcesses(serverPid);
  const pid = pids[Math.floor(random() * pids.length)];
  return pid !== undefined && killIfRunning(pid);
};
