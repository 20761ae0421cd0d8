import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ExplainedError } from './explained-error.ts';
import { type LocalService, type LocalServiceOptions, startLocalService } from './service.ts';

/** In the working directory: npm's scripts run in the project's root. */
const directory = resolve('.local');

const usage = 'Known are --port <number>, --keep and --dynamodb-endpoint <url>.';

const readOptions = (): LocalServiceOptions => {
  const { port, keep, 'dynamodb-endpoint': dynamoDbEndpoint } = readArguments();
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw new ExplainedError(`--port ${port} is no port; write a number from 0 (any free one) to 65535.`);
  if (dynamoDbEndpoint !== undefined && !/^http:\/\/[^/]+\/?$/.test(dynamoDbEndpoint))
    throw new ExplainedError(`--dynamodb-endpoint ${dynamoDbEndpoint} is none; write one like http://localhost:8000.`);
  return { port: Number(port), keepData: keep, dynamoDbEndpoint, directory, print: console.log };
};

const readArguments = () => {
  try {
    const options = {
      port: { type: 'string', default: '8443' },
      keep: { type: 'boolean', default: false },
      'dynamodb-endpoint': { type: 'string' },
    } as const;
    return parseArgs({ options }).values;
  } catch (error) {
    throw new ExplainedError(`${(error as Error).message.split('. ')[0]}. ${usage}`);
  }
};

const introduction = ({ demo: { baseUrl, caFile, companies } }: LocalService): string => `
Serving the synthesized stack at ${baseUrl}
Demo companies, keys and addresses: ${join(directory, 'demo.json')}
Logs: ${join(directory, 'logs')}

curl --cacert '${caFile}' --header 'x-api-key: ${companies[0]?.apiKey}' ${baseUrl}/contract
`;

const stop = async (service: Promise<LocalService>) => {
  await (await service).close();
  process.exit(0);
};

try {
  const service = startLocalService(readOptions());
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop(service));
  console.log(introduction(await service));
} catch (error) {
  console.error(error instanceof ExplainedError ? error.message : error);
  process.exit(1);
}
