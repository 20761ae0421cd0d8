import { setTimeout as wait } from 'node:timers/promises';
import type { ApplianceCommand, CommandRefusal } from '../../../simulator/appliance-commands.ts';
import type { ApplianceState } from '../../../simulator/appliance-state.ts';
import type { GatewayReport } from '../../../simulator/gateway-report.ts';
import type { SimulatedAppliance } from '../../../simulator/simulated-appliance.ts';
import type { BackendQueues } from './backend-queues.ts';

type Options = {
  readonly appliances: readonly SimulatedAppliance[];
  readonly queues: BackendQueues;
  /** Stores the appliances' states. */
  readonly remember?: (states: readonly ApplianceState[]) => void;
  /** Receives one sentence at the first queue failure. The appliances continue and their backend keeps retrying. */
  readonly print: (line: string) => void;
  /** The pause after a failure, and between steps while the backend is paused. */
  readonly restMs?: number;
};

export type Simulation = {
  /** Stops the backend from using its queues, or lets it continue; the appliances continue either way. */
  readonly pause: (isPaused: boolean) => void;
  /**
   * Runs a command on the appliance of a gateway. Resolves to the ids of its reports once their queue has them, or to the
   * reason why there is nothing to report.
   */
  readonly command: (gatewayId: string, command: ApplianceCommand) => Promise<readonly string[] | CommandRefusal>;
  readonly stop: () => Promise<void>;
};

/** Runs the appliances, and their backend, which exchanges messages with the service through its queues. */
export const startSimulation = ({
  appliances,
  queues,
  remember = () => undefined,
  print,
  restMs = 500,
}: Options): Simulation => {
  const stopping = new AbortController();
  const { signal } = stopping;
  /** Reports that are not in their queue yet. */
  let unsent: readonly GatewayReport[] = [];
  let hasFailed = false;
  let isPaused = false;
  const states = appliances.map(({ state }) => state);

  const receive = async () => {
    const { changes, done } = await queues.receive(signal);
    for (const change of changes)
      appliances.find(({ state }) => state.gatewayId === change.subject)?.receive(change, Date.now());
    await done();
  };

  const report = async () => {
    const nowMs = Date.now();
    const reports = appliances.flatMap(({ step }) => step(nowMs));
    if (reports.length > 0) remember(states);
    unsent = [...unsent, ...reports];
    if (isPaused) return;
    await queues.send(unsent);
    unsent = [];
  };

  /** Returns whether the work succeeded. */
  const attempt = (work: () => Promise<void>): Promise<boolean> =>
    work().then(
      () => true,
      (failure: unknown) => {
        if (!hasFailed && !signal.aborted)
          print(
            `The gateway backend could not reach its queues (${failure}). It keeps retrying, without further messages.`,
          );
        hasFailed = true;
        return false;
      },
    );

  const live = async () => {
    while (!signal.aborted) {
      const isWell = [isPaused || (await attempt(receive)), await attempt(report)].every(Boolean);
      if (!isWell || isPaused) await wait(restMs, undefined, { signal }).catch(() => undefined);
    }
  };

  const living = live();
  return {
    pause: (paused) => {
      isPaused = paused;
    },
    command: async (gatewayId, command) => {
      const appliance = appliances.find(({ state }) => state.gatewayId === gatewayId);
      const reports = appliance ? command(appliance, Date.now()) : 'unreachable';
      if (typeof reports === 'string') return reports;
      remember(states);
      await queues.send(reports);
      return reports.map(({ id }) => id);
    },
    stop: async () => {
      stopping.abort();
      await living;
      remember(states);
      queues.close();
    },
  };
};
