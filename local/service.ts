import { rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { type ServedStack, serveStack, type UserFacingError } from 'serve-stack';
import { attemptToWrite, openAll } from 'serve-stack/host';
import { loadStageConfig } from '../config/load.ts';
import type { StageConfig } from '../config/schema.ts';
import { apiStage } from '../lambdas/api/version.ts';
import type { Store } from '../lambdas/data/store/store.ts';
import { createSimulatedAppliance } from '../simulator/simulated-appliance.ts';
import { createApiPage, isForApiPage } from './api-page.ts';
import { admitCompanies, connectNeighbours, connectOperator, writePrivately } from './connections.ts';
import { startControls } from './controls/control-server.ts';
import { connectToQueues } from './demo/appliances/backend-queues.ts';
import { startSimulation } from './demo/appliances/simulation.ts';
import { appliancesFileIn, keptAppliancesIn, openDemoStore } from './demo/demo-store.ts';
import {
  companiesIn,
  type Demo,
  type DemoWorld,
  demoAppliances,
  isFleet,
  prepareDemoWorld,
  prepareEmptyWorld,
} from './demo/demo-world.ts';
import { receiverHostOf, startWebhookReceiver, type WebhookReceiver } from './demo/webhook-receiver.ts';
import { synthesizeIfStale } from './synthesis.ts';

export type LocalService = {
  readonly demo: Demo;
  /**
   * Holds `demo.json`, `ca.pem`, `logs/`, `webhook-messages.log`, `operator.json` (for the operator CLI), `integrations.json`
   * (for the portal and the gateway backend) and `controls.json` (for the demo controls).
   */
  readonly directory: string;
  /** The store as an operator reaches it: without the functions' roles and injected faults. */
  readonly store: Store;
  readonly served: ServedStack;
  /** Webhook messages to these hosts go to the receiver of this run. */
  readonly receiverHosts: readonly string[];
  /** Serves the stack of the current sources, or another assembly, with the same data. Throws if the synthesis fails. */
  readonly swapStack: (assembly?: string) => Promise<void>;
  /** Stops the gateway backend from using its queues, or lets it continue. */
  readonly pauseBackend: (isPaused: boolean) => void;
  /** Builds guide and reference ahead of the first request, unless they are up to date. */
  readonly openApiPage: () => Promise<void>;
  readonly close: () => Promise<void>;
};

export type LocalServiceOptions = {
  /** The port of the API; 0 for any free one. */
  readonly port: number;
  /** Accepts calls from other machines: needed inside a container that publishes the port. */
  readonly isOnAllAddresses?: boolean;
  readonly directory: string;
  /** Keeps the data of this run in the directory, and starts with the data of the last run. */
  readonly keepData?: boolean;
  /** Seeds no companies: an operator onboards those of the configuration. */
  readonly isEmpty?: boolean;
  /** Leaves out the company that acts for many owners: its homes take most of the start's time. */
  readonly isWithoutFleet?: boolean;
  /** Simulates no gateway backend: requested changes stay in their queue, and no reports arrive. */
  readonly isWithoutBackend?: boolean;
  /** The URL of the user's own receiver, to which all webhook messages are forwarded. */
  readonly forwardWebhooksTo?: string | undefined;
  /** A DynamoDB Local that already runs; without it, one is started. */
  readonly dynamoDbEndpoint?: string | undefined;
  /** The URL to fetch a Java runtime from if the machine has none; `none` to fetch nothing. */
  readonly javaSource?: string | undefined;
  /** Separates the tables of runs that share a DynamoDB Local. */
  readonly tablePrefix?: string;
  /** How many times slower than Lambda this machine is assumed to be. */
  readonly timeFactor?: number;
  /** The folder of a cloud assembly to serve instead of the one synthesized from the sources. */
  readonly assembly?: string | undefined;
  /** The operation or job whose function to debug. */
  readonly inspect?: string | undefined;
  /** Receives one line per request, and other notices. */
  readonly print?: (line: string) => void;
  /** Receives one line as each step of the start begins. */
  readonly announce?: (line: string) => void;
  /** Called with the reason if the store stops unexpectedly. */
  readonly onStoreEnd?: (reason: UserFacingError) => void;
};

/** Serves the synthesized stack with the demo world on this machine. Resolves when everything accepts requests. */
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
  const config = isWithoutFleet
    ? { ...local, companies: local.companies.filter((company) => !isFleet(company)) }
    : local;
  const synthesize = async (announce?: LocalServiceOptions['announce']) =>
    options.assembly ?? synthesizeIfStale({ isDebuggable: inspect !== undefined, announce });

  let receiver: WebhookReceiver | undefined;
  const served = await serveStack({
    ...options,
    outside: async () => {
      receiver = await startWebhookReceiver({
        directory,
        companies: config.companies,
        forwardTo: options.forwardWebhooksTo,
        print: options.print,
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
    'integrations.json': () => connectNeighbours(served, config),
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
    directory,
    store,
    served,
    requiredConsentVersion: config.consent.requiredVersion,
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

/** Starts the simulated appliances and their backend, which reach the service only through its queues. */
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

/** Serves the page at its path. The page has the first company's key, so that readers can try the API there. */
const apiPageIn = (demoFile: string) => {
  const page = createApiPage(() => ({ serverUrl: `/${apiStage}`, apiKey: companiesIn(demoFile)[0]?.apiKey }));
  const serveBeside = (incoming: IncomingMessage, outgoing: ServerResponse): false | Promise<void> =>
    isForApiPage(incoming.url) && page.answer(incoming, outgoing);
  return { ...page, serveBeside };
};
