import { rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { type ServedStack, serveStack, type UserFacingError } from 'serve-stack';
import { attemptToWrite, openAll } from 'serve-stack/host';
import { loadStageConfig } from '../config/load.ts';
import type { StageConfig } from '../config/schema.ts';
import { apiStage } from '../lambdas/api/version.ts';
import type { Store } from '../lambdas/data/store/store.ts';
import { createApiPage, isForApiPage } from './api-page.ts';
import { admitCompanies, connectNeighbours, connectOperator, writePrivately } from './connections.ts';
import { startControls } from './controls/control-server.ts';
import { connectToQueues } from './demo/appliances/backend-queues.ts';
import { createSimulatedAppliance } from './demo/appliances/simulated-appliance.ts';
import { startSimulation } from './demo/appliances/simulation.ts';
import { appliancesFileIn, keptAppliancesIn, openDemoStore } from './demo/demo-store.ts';
import {
  actsForOne,
  companiesIn,
  type Demo,
  type DemoWorld,
  demoAppliances,
  prepareDemoWorld,
  prepareEmptyWorld,
} from './demo/demo-world.ts';
import { receiverHostOf, startWebhookReceiver, type WebhookReceiver } from './demo/webhook-receiver.ts';
import { synthesizeIfStale } from './synthesis.ts';

export type LocalService = {
  readonly demo: Demo;
  /**
   * Holds `demo.json`, `ca.pem`, `logs/`, for the operator CLI `operator.json`, for the portal and the gateway backend
   * `seams.json`, for the demo controls `controls.json`, and `pokes.log`.
   */
  readonly directory: string;
  /** The store as an operator reaches it, past the functions' roles and faults. */
  readonly store: Store;
  readonly served: ServedStack;
  /** Webhooks at these hosts arrive at the receiver of this run. */
  readonly receiverHosts: readonly string[];
  /** Serves the stack as the sources have it now, or another assembly, with the same data; throws if they make none. */
  readonly swapStack: (assembly?: string) => Promise<void>;
  /** Lets the gateway backend leave its queues alone until it is told otherwise. */
  readonly pauseBackend: (isPaused: boolean) => void;
  /** Builds guide and reference, if need be, before somebody asks for them. */
  readonly openApiPage: () => Promise<void>;
  readonly close: () => Promise<void>;
};

export type LocalServiceOptions = {
  /** 0 for a free one. */
  readonly port: number;
  /** Lets other machines call: needed inside a container that publishes the port. */
  readonly isOnAllAddresses?: boolean;
  readonly directory: string;
  /** Keeps the data of this run in the directory, and takes up that of the last one. */
  readonly keepData?: boolean;
  /** Leaves it to an operator to onboard the companies of the configuration. */
  readonly isEmpty?: boolean;
  /** Leaves out the company that acts for many owners, whose homes are most of what a start takes. */
  readonly isWithoutFleet?: boolean;
  /** Simulates no gateway backend: requested changes stay in their queue, and nobody reports. */
  readonly isWithoutBackend?: boolean;
  /** The URL of somebody's own receiver, to which all pokes are led on. */
  readonly forwardPokesTo?: string | undefined;
  /** A DynamoDB Local that already runs; without it, one is started. */
  readonly dynamoDbEndpoint?: string | undefined;
  /** Where a Java runtime is fetched from if there is none, or `none`. */
  readonly javaSource?: string | undefined;
  /** Keeps apart the tables of those who share a DynamoDB Local. */
  readonly tablePrefix?: string;
  /** How many times slower than Lambda's this machine is taken to be. */
  readonly timeFactor?: number;
  /** The folder of a cloud assembly to serve in place of the one that the sources make. */
  readonly assembly?: string | undefined;
  /** The operation or job whose function a debugger will look into. */
  readonly inspect?: string | undefined;
  /** Takes one line per request, and what else there is to say. */
  readonly print?: (line: string) => void;
  /** Takes one line for each part of the start, when it begins. */
  readonly announce?: (line: string) => void;
  /** Told why, if the store ends by itself. */
  readonly onStoreEnd?: (reason: UserFacingError) => void;
};

/** Serves the synthesized stack on this machine, with the demo world in it; resolves when all of it answers. */
export const startLocalService = (options: LocalServiceOptions): Promise<LocalService> =>
  openAll((onClose) => start(options, onClose));

const start = async (
  { isEmpty = false, isWithoutFleet = false, isWithoutBackend = false, ...options }: LocalServiceOptions,
  onClose: (closer: () => unknown) => void,
): Promise<Omit<LocalService, 'close'>> => {
  const { directory, keepData = false, inspect, announce } = options;
  const demoFile = join(directory, 'demo.json');
  const page = apiPageIn(demoFile);
  onClose(page.close);
  const local = loadStageConfig('local');
  const config = isWithoutFleet ? { ...local, companies: local.companies.filter(actsForOne) } : local;
  const synthesize = async (tell?: LocalServiceOptions['announce']) =>
    options.assembly ?? synthesizeIfStale({ isDebuggable: inspect !== undefined, announce: tell });

  let receiver: WebhookReceiver | undefined;
  const served = await serveStack({
    ...options,
    outside: async () => {
      receiver = await startWebhookReceiver({
        ...{ directory, companies: config.companies },
        ...{ forwardTo: options.forwardPokesTo, print: options.print },
      });
      onClose(receiver.close);
      return receiver.outside;
    },
    assembly: () => synthesize(announce),
    seed: async (tables) => {
      announce?.('Preparing the demo world');
      const { store, close } = openDemoStore(tables);
      onClose(close);
      const kept = keepData
        ? { companies: companiesIn(demoFile), appliances: keptAppliancesIn(directory) }
        : { companies: [], appliances: [] };
      return {
        store,
        world: await (isEmpty ? prepareEmptyWorld(store, config) : prepareDemoWorld(store, config, kept)),
      };
    },
    serveBeside: page.serveBeside,
  });
  onClose(served.close);
  const { store, world } = served.seeded;
  await admitCompanies(served, store);
  const { baseUrl, caFile } = served;
  const demo = { baseUrl, caFile, companies: world.companies };
  const connections: Readonly<Record<string, () => object>> = {
    'operator.json': () => connectOperator(served),
    'seams.json': () => connectNeighbours(served, config),
  };
  const writeConnections = () => {
    for (const [name, connection] of Object.entries(connections)) writePrivately(join(directory, name), connection());
  };
  onClose(() => {
    for (const name of Object.keys(connections)) rmSync(join(directory, name), { force: true });
  });
  writeConnections();
  const backend = isWithoutBackend ? undefined : startBackend(config, served, world, options);
  if (backend) onClose(backend.stop);
  writePrivately(demoFile, demo);
  const controls = await startControls(demo, {
    ...{ directory, store, served, requiredConsentVersion: config.consent.requiredVersion },
    neighbours: () => connectNeighbours(served, config),
    simulation: backend,
    failWebhooksWith: (status) => receiver?.failWith(status) ?? false,
  });
  onClose(controls.close);
  const swapStack = async (assembly?: string) => {
    await served.replace(assembly ?? (await synthesize()));
    writeConnections();
  };
  return {
    demo,
    directory,
    store,
    served,
    swapStack,
    receiverHosts: config.companies.flatMap(receiverHostOf),
    pauseBackend: (isPaused) => backend?.pause(isPaused),
    openApiPage: async () => void (await page.open()),
  };
};

/** Starts the simulated appliances and their backend, which reach the service through its queues alone. */
const startBackend = (
  config: StageConfig,
  served: ServedStack,
  { appliances }: DemoWorld,
  { directory, keepData = false, print = () => undefined }: LocalServiceOptions,
) => {
  const { region, gatewayBackend } = connectNeighbours(served, config);
  const all = new Map(demoAppliances(config).map((appliance) => [appliance.gatewayId, appliance]));
  const appliancesFile = appliancesFileIn(directory);
  const attempt = attemptToWrite(appliancesFile, print);
  return startSimulation({
    appliances: appliances.flatMap((state) => {
      const appliance = all.get(state.gatewayId);
      return appliance ? [createSimulatedAppliance(appliance, state)] : [];
    }),
    queues: connectToQueues({ region, ...gatewayBackend }),
    ...(keepData && { remember: (states) => attempt(() => writePrivately(appliancesFile, states)) }),
    print,
  });
};

/** Serves the page at its place; the first company's key is in it, for whoever tries the API there. */
const apiPageIn = (demoFile: string) => {
  const page = createApiPage(() => ({ serverUrl: `/${apiStage}`, apiKey: companiesIn(demoFile)[0]?.apiKey }));
  const serveBeside = (incoming: IncomingMessage, outgoing: ServerResponse): false | Promise<void> =>
    isForApiPage(incoming.url) && page.answer(incoming, outgoing);
  return { ...page, serveBeside };
};
