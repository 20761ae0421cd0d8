import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { KMSClient } from '@aws-sdk/client-kms';
import { SQSClient } from '@aws-sdk/client-sqs';
import { WAFV2Client } from '@aws-sdk/client-wafv2';
import * as z from 'zod';
import { logReaderOf } from '../../lambdas/runtime/log-queries.ts';
import { OperatorError } from '../error.ts';
import { integrationsOf } from '../integrations/integrations.ts';
import { type Connection, readStoreTimeMs, storeOf } from './connection.ts';
import { ipSetsOf } from './ip-sets.ts';
import { pseudonymsOf } from './pseudonyms.ts';

/** The file that a local run writes for this program while it runs. */
const localRun = z.object({
  stackName: z.string(),
  dynamoDbEndpoint: z.url(),
  region: z.string(),
  tables: z.record(z.string(), z.string()),
  logsDirectory: z.string(),
  /** The resource policy of the template that the run serves. */
  policy: z.unknown().optional(),
  baseUrl: z.url(),
  /** The certificate of the authority that signed the certificate of the run. */
  caFile: z.string(),
  /** The endpoints of queues, bus, logs, IP sets and keys, and the resources by their logical names in the stack. */
  messaging: z.object({
    queueEndpoint: z.url(),
    eventEndpoint: z.url(),
    logEndpoint: z.url(),
    requestLog: z.string(),
    accessLog: z.string(),
    consumerLog: z.string(),
    queueUrls: z.record(z.string(), z.url()),
    portalBus: z.string(),
    ipSetEndpoint: z.url(),
    /** The physical ids of the IP sets, `name|id|scope`. */
    ipSets: z.array(z.string()),
    macEndpoint: z.url(),
    /** The ARNs of the keys for message authentication codes. */
    macKeys: z.record(z.string(), z.string()),
    /** The credentials of the account's owner. */
    credentials: z.object({ accessKeyId: z.string(), secretAccessKey: z.string() }),
  }),
});

/** DynamoDB Local requires credentials, but accepts any. */
const anybody = { accessKeyId: 'local', secretAccessKey: 'local' };

/** Connects to the demo world of the local run that has its files in that folder. */
export const connectToLocalRun = async (directory: string): Promise<Connection> => {
  const run = readLocalRun(directory);
  const { stackName, dynamoDbEndpoint, region, tables, logsDirectory, policy, baseUrl, caFile, messaging } = run;
  if (!(await answers(dynamoDbEndpoint))) throw noLocalRun(directory, 'The last one was interrupted.');
  const client = new DynamoDBClient({ endpoint: dynamoDbEndpoint, region, credentials: anybody });
  const store = storeOf(client, tables);
  const { queueEndpoint, eventEndpoint, queueUrls, portalBus, credentials } = messaging;
  const ipSets = ipSetsOf(
    new WAFV2Client({ endpoint: messaging.ipSetEndpoint, region, credentials }),
    messaging.ipSets,
  );
  const kms = new KMSClient({ endpoint: messaging.macEndpoint, region, credentials });
  const integrations = integrationsOf({
    sqs: new SQSClient({ endpoint: queueEndpoint, region, credentials }),
    events: new EventBridgeClient({ endpoint: eventEndpoint, region, credentials }),
    queueUrls,
    portalBus,
  });
  const log = new CloudWatchLogsClient({ endpoint: messaging.logEndpoint, region, credentials });
  return {
    store,
    integrations,
    operator: `local:${userInfo().username}`,
    stackName,
    logsDirectory,
    queryLog: {
      requests: logReaderOf(log, () => messaging.requestLog),
      access: logReaderOf(log, () => messaging.accessLog),
      consumers: logReaderOf(log, () => messaging.consumerLog),
    },
    readStoreTimeMs: () => readStoreTimeMs(store),
    readPolicy: async () => policy,
    ipSets,
    pseudonymOf: pseudonymsOf(kms, messaging.macKeys.OwnerPseudonyms),
    readBaseUrl: async () => {
      trust(caFile);
      return baseUrl;
    },
    close: () => {
      kms.destroy();
      ipSets?.close();
      client.destroy();
      log.destroy();
      integrations.close();
    },
  };
};

/** Makes this process trust certificates of that authority. */
const trust = (caFile: string): void =>
  setDefaultCACertificates([...getCACertificates('default'), readFileSync(caFile, 'utf8')]);

const readLocalRun = (directory: string) => {
  const file = join(directory, 'operator.json');
  try {
    return localRun.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') throw noLocalRun(directory);
    if (code !== undefined) throw error;
    throw new OperatorError(
      'unavailable',
      `${file} does not describe how to reach the local run: it is damaged, or another version wrote it. Stop that run and start it again, which rewrites the file.`,
    );
  }
};

const answers = (endpoint: string): Promise<boolean> =>
  fetch(endpoint).then(
    () => true,
    () => false,
  );

const noLocalRun = (directory: string, why = '') =>
  new OperatorError(
    'unavailable',
    [
      `No local run is up in ${directory}.`,
      why,
      'Start one in another terminal and in the same folder: npm start. If it runs with another --directory, name that here, too.',
    ]
      .filter(Boolean)
      .join(' '),
  );
