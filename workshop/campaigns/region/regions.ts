import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { App } from 'aws-cdk-lib';
import { type ServedStack, serveStack } from 'serve-stack';
import { clientConfigOf, createTables, startDynamoDbLocal } from 'serve-stack/dynamodb';
import { loadStack } from 'serve-stack/template';
import { loadStageConfig } from '../../../config/load.ts';
import type { StageConfig } from '../../../config/schema.ts';
import { stackNameOf } from '../../../config/schema.ts';
import { bundleHandlers } from '../../../infra/functions/bundle.ts';
import { PartnerApiStack } from '../../../infra/stack.ts';
import { type RetainedTableName, retainedTables, tables as rows, type Table } from '../../../lambdas/api/tables.ts';
import { connectNeighbours, connectOperator, writePrivately } from '../../../local/connections.ts';
import { createClient } from '../../../local/dashboard-preview/partner-requests.ts';
import { openDemoStore } from '../../../local/demo/demo-store.ts';
import { type DemoWorld, prepareDemoWorld } from '../../../local/demo/demo-world.ts';
import { connectToLocalRun } from '../../../operator/connection/local.ts';
import { readDepth } from '../../../operator/integrations/integrations.ts';
import { operate } from '../../../test/support/operator.ts';
import { replicasIn } from '../../../test/support/regions.ts';
import type { ReplicatedTable } from './replication.ts';

/** The part of a stage's configuration that changes when the regions exchange their roles. */
type Part = Pick<StageConfig, 'isStandby' | 'takeovers'>;

/** The stage `local` and its second stage in another region, each served from the template of its configuration. */
export const openRegions = async (onClose: (close: () => Promise<void> | void) => void) => {
  const local = loadStageConfig('local');
  // A separate store: the replication reads its streams all the time, which would slow other tests down.
  const { endpoint, stop } = await startDynamoDbLocal();
  onClose(stop);
  const prefixes = ['first-', 'second-'] as const;
  const region = 'eu-west-1';
  const replicas = replicasIn(region, local.account, (table) => prefixes[1] + table);
  const configs = [
    { ...local, replicaRegion: region },
    { ...local, region, replicas },
  ] as const;
  const { bundles } = await bundleHandlers(mkdtempSync(join(tmpdir(), 'bundles-')));
  const { context } = JSON.parse(readFileSync('cdk.json', 'utf8'));
  const synthesize = (stage: string, config: StageConfig): string => {
    const outdir = mkdtempSync(join(tmpdir(), 'assembly-'));
    const app = new App({
      context: { ...context, 'aws:cdk:enable-path-metadata': true },
      outdir,
      treeMetadata: false,
      builtinCloudFormationValidation: false,
    });
    new PartnerApiStack(app, stackNameOf(stage), { config, bundles });
    return app.synth().directory;
  };

  const admin = new DynamoDBClient(clientConfigOf(endpoint));
  onClose(() => admin.destroy());
  const first = synthesize('local', configs[0]);
  // A replica has the same keys, indexes and stream as its table.
  const replicaNames = await createTables(admin, loadStack(first), prefixes[1]);

  const open = async <Seeded = undefined>(
    side: 0 | 1,
    stage: string,
    assembly: string,
    seed?: (tables: ServedStack['tables']) => Promise<Seeded>,
  ) => {
    const directory = mkdtempSync(join(tmpdir(), 'region-'));
    const served = await serveStack<Seeded>({
      assembly,
      directory,
      dynamoDbEndpoint: endpoint,
      tablePrefix: prefixes[side],
      timeFactor: 100,
      ...(seed && { seed }),
    });
    onClose(served.close);
    const names = side === 0 ? served.tables.names : { ...served.tables.names, ...pick(replicaNames) };
    let part: Part = {};
    const client = createClient({ ...served, companies: [] });
    onClose(client.close);
    const config = (): StageConfig => ({ ...configs[side], ...part });
    writePrivately(join(directory, 'operator.json'), { ...connectOperator(served), tables: names });
    return {
      served,
      names,
      client,
      /** Changes the configuration; `deploy` applies it. */
      configure: (next: Part) => {
        part = next;
      },
      deploy: () => served.replace(synthesize(stage, config())),
      neighbours: () => connectNeighbours(served, local),
      /** Returns the number of requested changes that wait for the backend. */
      countRelayed: async (): Promise<number> => {
        const { integrations, close } = await connectToLocalRun(directory);
        const { waiting, inFlight } = await readDepth(integrations, 'requestedChanges');
        close();
        return waiting + inFlight;
      },
      operate: (argv: readonly string[]) =>
        operate([...argv, '--reason', 'a test of the plan'], {
          config: config(),
          nowMs: Date.now(),
          store: undefined as never,
          connect: () => connectToLocalRun(directory),
        }),
    };
  };

  const seed = async (tables: ServedStack['tables']): Promise<DemoWorld> => {
    const { store, close } = openDemoStore(tables);
    onClose(close);
    return prepareDemoWorld(store, local, { companies: [], appliances: [] });
  };
  const one = await open(0, 'local', first, seed);
  const other = await open(1, 'second', synthesize('second', { ...configs[1], isStandby: true }));
  const tables = retainedTables.map(
    (table): ReplicatedTable => ({
      names: [one.names[table] ?? '', other.names[table] ?? ''],
      mark: markOf(table),
    }),
  );
  return { regions: [one, other] as const, world: one.served.seeded as DemoWorld, tables, endpoint };
};

export type Region = Awaited<ReturnType<typeof openRegions>>['regions'][number];

/** The key of a mark in the tables that a partner and appliances write to; no other item has that key. */
const markOf = (table: RetainedTableName) => {
  const { partitionKey, sortKey }: Table = rows[table];
  const isWritten = ['ApiKeys', 'Appliances', 'AuditLog'].includes(table);
  return isWritten && sortKey ? { [partitionKey]: { S: 'a mark' }, [sortKey]: { S: 'a mark' } } : undefined;
};

const pick = (names: Readonly<Record<string, string>>) =>
  Object.fromEntries(retainedTables.map((table) => [table, names[table] ?? '']));
