import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RequestedChangeEvent } from '../../../../lambdas/api/requested-change.ts';
import type { BackendQueues } from '../../../../local/demo/appliances/backend-queues.ts';
import { startSimulation } from '../../../../local/demo/appliances/simulation.ts';
import type { ApplianceState } from '../../../../simulator/appliance-state.ts';
import { type GatewayReport, gatewayReport } from '../../../../simulator/gateway-report.ts';
import type { SimulatedAppliance } from '../../../../simulator/simulated-appliance.ts';
import { importsBelow } from '../../../repository/imports.ts';

describe('simulation', () => {
  /** Resolves after this many calls. */
  const counter = () => {
    const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
    let count = 0;
    return {
      increment: () => {
        count++;
        for (const each of waiting) if (count >= each.count) each.resolve();
      },
      until: (wanted: number) =>
        new Promise<void>((resolve) => (count >= wanted ? resolve() : void waiting.push({ count: wanted, resolve }))),
      count: () => count,
    };
  };

  /** An appliance that reports the changes received so far at each step. */
  const echo = (gatewayId: string): SimulatedAppliance & { readonly received: unknown[] } => {
    const received: unknown[] = [];
    return {
      received,
      state: { gatewayId } as ApplianceState,
      receive: ({ id }) => void received.push(id),
      step: (nowMs) => [gatewayReport('gateway.removed.v1', gatewayId, {}, nowMs)],
      energyOf: (day) => ({ day }),
    };
  };

  const changeOf = (subject: string, id: string) => ({ subject, id }) as RequestedChangeEvent;

  /** Queues that deliver these changes one by one; the test defines what sending does. */
  const queuesWith = (changes: RequestedChangeEvent[], send: (reports: readonly GatewayReport[]) => void) => {
    const sends = counter();
    const done: string[] = [];
    const queues: BackendQueues & { readonly isClosed: () => boolean } = {
      receive: async () => {
        await new Promise(setImmediate);
        const received = changes.splice(0, 1);
        return { changes: received, done: async () => void done.push(...received.map(({ id }) => id)) };
      },
      send: async (reports) => {
        sends.increment();
        send(reports);
      },
      close: () => {
        closed = true;
      },
      isClosed: () => closed,
    };
    let closed = false;
    return { queues, sends, done };
  };

  const silent = { print: () => undefined, restMs: 1 };

  test('each change reaches the appliance of its gateway; every change leaves the queue', async () => {
    const [one, other] = [echo('gw-1'), echo('gw-2')];
    const changes = [changeOf('gw-2', 'a'), changeOf('gw-9', 'b'), changeOf('gw-1', 'c')];
    const { queues, sends, done } = queuesWith(changes, () => undefined);
    const simulation = startSimulation({ appliances: [one, other], queues, ...silent });
    await sends.until(4);
    await simulation.stop();
    expect([one.received, other.received, done]).toEqual([['c'], ['a'], ['a', 'b', 'c']]);
  });

  test('reports that could not be sent are retried unchanged, before later ones', async () => {
    const sent: (readonly string[])[] = [];
    const { queues, sends } = queuesWith([], (reports) => {
      sent.push(reports.map(({ id }) => id));
      if (sent.length === 1) throw new Error('no queue');
    });
    const printed: string[] = [];
    const print = (line: string) => printed.push(line);
    const simulation = startSimulation({ appliances: [echo('gw-1')], queues, ...silent, print });
    await sends.until(3);
    await simulation.stop();
    const [first, second, third] = sent;
    expect(second).toEqual([...(first ?? []), expect.any(String)]);
    expect(third).toHaveLength(1);
    expect(new Set(second).has(String(third?.[0]))).toBe(false);
    expect(printed).toEqual([
      expect.stringMatching(/^The gateway backend could not reach its queues \(Error: no queue\)/),
    ]);
  });

  test('a lasting queue failure is printed once', async () => {
    const printed: string[] = [];
    const { queues, sends } = queuesWith([], () => {
      throw new Error('no queue');
    });
    const print = (line: string) => printed.push(line);
    const simulation = startSimulation({ appliances: [echo('gw-1')], queues, ...silent, print });
    await sends.until(5);
    await simulation.stop();
    expect(printed).toHaveLength(1);
  });

  test('a paused backend does not use its queues, and sends the collected reports afterwards', async () => {
    const appliance = echo('gw-1');
    const steps = counter();
    const step = (nowMs: number) => {
      steps.increment();
      return appliance.step(nowMs);
    };
    const sent: number[] = [];
    const { queues, sends, done } = queuesWith([changeOf('gw-1', 'a')], (reports) => sent.push(reports.length));
    const simulation = startSimulation({ appliances: [{ ...appliance, step }], queues, ...silent });
    simulation.pause(true);
    // The poll that is already running may finish.
    await steps.until(2);
    const sendsBefore = sends.count();
    await steps.until(steps.count() + 5);
    expect([sends.count(), done]).toEqual([sendsBefore, ['a']]);
    simulation.pause(false);
    await sends.until(sendsBefore + 1);
    await simulation.stop();
    expect(sent[sendsBefore]).toBeGreaterThan(5);
  });

  test('states are stored before reports are sent and when the simulation stops; then the queues close', async () => {
    const order: string[] = [];
    const { queues, sends } = queuesWith([], () => order.push('sent'));
    const remember = (states: readonly ApplianceState[]) => order.push(`kept ${states.map((each) => each.gatewayId)}`);
    const simulation = startSimulation({ appliances: [echo('gw-1')], queues, remember, ...silent });
    await sends.until(2);
    await simulation.stop();
    expect(order.slice(0, 2)).toEqual(['kept gw-1', 'sent']);
    expect(order.at(-1)).toBe('kept gw-1');
    expect(queues.isClosed()).toBe(true);
    const steps = sends.count();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(sends.count()).toBe(steps);
  });
});

describe('no table access', () => {
  /** All modules that the simulated appliances and their backend import, directly or indirectly. */
  const reached = (): ReadonlySet<string> => {
    const imports = Map.groupBy(
      importsBelow(resolve('.'), ['config', 'lambdas', 'local', 'simulator']),
      ({ from }) => from,
    );
    const folders = /^(local\/demo|lambdas\/sandbox)\/appliances\//;
    const files = new Set([...imports.keys()].filter((file) => folders.test(file)));
    // Iterating a set includes elements added during the iteration.
    for (const file of files) for (const { to } of imports.get(file) ?? []) files.add(to);
    return files;
  };

  test('the gateway backend imports queues but nothing that accesses a table', () => {
    const files = [...reached()];
    expect(files).toContain('@aws-sdk/client-sqs');
    expect(files.filter((file) => /dynamodb|^lambdas\/data\/|^packages\//.test(file))).toEqual([]);
  });
});
