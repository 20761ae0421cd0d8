import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { apiPagePath } from './api-page.ts';
import { UserFacingError } from './aws/user-facing-error.ts';
import { type LocalService, type LocalServiceOptions, startLocalService } from './service.ts';

/** In the working directory: npm's scripts run in the project's root. */
const directory = resolve('.local');

const usage = 'Known are --port <number>, --keep, --empty and --dynamodb-endpoint <url>.';

const readOptions = (): LocalServiceOptions => {
  const { port, keep, empty, 'dynamodb-endpoint': dynamoDbEndpoint } = readArguments();
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw new UserFacingError(`--port ${port} is no port; write a number from 0 (any free one) to 65535.`);
  if (dynamoDbEndpoint !== undefined && !/^http:\/\/[^/]+\/?$/.test(dynamoDbEndpoint))
    throw new UserFacingError(`--dynamodb-endpoint ${dynamoDbEndpoint} is none; write one like http://localhost:8000.`);
  if (keep && empty) throw new UserFacingError('--empty and --keep exclude each other: what is kept is not empty.');
  return { port: Number(port), keepData: keep, isEmpty: empty, dynamoDbEndpoint, directory, print: console.log };
};

const readArguments = () => {
  try {
    const options = {
      port: { type: 'string', default: '8443' },
      keep: { type: 'boolean', default: false },
      empty: { type: 'boolean', default: false },
      'dynamodb-endpoint': { type: 'string' },
    } as const;
    return parseArgs({ options }).values;
  } catch (error) {
    throw new UserFacingError(`${(error as Error).message.split('. ')[0]}. ${usage}`);
  }
};

const introduction = ({ demo: { baseUrl, caFile, companies } }: LocalService): string => {
  const [company] = companies;
  const firstStep = company
    ? `curl --cacert '${caFile}' --header 'x-api-key: ${company.apiKey}' ${baseUrl}/contract`
    : `No company is onboarded yet:\nnpm run operator -- company onboard acme --local --reason 'to try it'`;
  return `
Serving the synthesized stack at ${baseUrl}
Guide and reference: ${new URL(apiPagePath, baseUrl)}
Demo companies, keys and addresses: ${join(directory, 'demo.json')}
Logs: ${join(directory, 'logs')}

${firstStep}
`;
};

const stop = async (service: Promise<LocalService>) => {
  await (await service).close();
  process.exit(0);
};

try {
  const service = startLocalService(readOptions());
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop(service));
  console.log(introduction(await service));
} catch (error) {
  console.error(error instanceof UserFacingError ? error.message : error);
  process.exit(1);
}
