import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { operationIds } from '../lambdas/api/endpoints/endpoints.ts';
import { jobNames } from '../lambdas/api/jobs.ts';
import { apiPagePath } from './api-page.ts';
import { UserFacingError } from './aws/errors/user-facing-error.ts';
import { type LocalService, type LocalServiceOptions, startLocalService } from './service.ts';
import { swapOnChange } from './stack-swap.ts';
import { hashOfInputs } from './synthesis.ts';

/** The folder lies in the working directory: npm's scripts run in the project's root. */
const directory = resolve('.local');

const usage =
  'Known are --port <number>, --keep, --empty, --dynamodb-endpoint <url>, --watch and --inspect <operation id>.';

type Options = { readonly service: LocalServiceOptions; readonly isWatched: boolean };

const readOptions = (): Options => {
  const { port, keep, empty, watch, inspect, 'dynamodb-endpoint': dynamoDbEndpoint } = readArguments();
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw new UserFacingError(`--port ${port} is no port; write a number from 0 (any free one) to 65535.`);
  if (dynamoDbEndpoint !== undefined && !/^http:\/\/[^/]+\/?$/.test(dynamoDbEndpoint))
    throw new UserFacingError(`--dynamodb-endpoint ${dynamoDbEndpoint} is none; write one like http://localhost:8000.`);
  if (keep && empty) throw new UserFacingError('--empty and --keep exclude each other: what is kept is not empty.');
  const inspectable: readonly string[] = [...operationIds, ...jobNames];
  if (inspect !== undefined && !inspectable.includes(inspect))
    throw new UserFacingError(`--inspect ${inspect} is no operation; known are ${inspectable.join(', ')}.`);
  return {
    service: { port: Number(port), keepData: keep, isEmpty: empty, dynamoDbEndpoint, inspect, directory, print },
    isWatched: watch,
  };
};

const readArguments = () => {
  try {
    const options = {
      port: { type: 'string', default: '8443' },
      keep: { type: 'boolean', default: false },
      empty: { type: 'boolean', default: false },
      'dynamodb-endpoint': { type: 'string' },
      watch: { type: 'boolean', default: false },
      inspect: { type: 'string' },
    } as const;
    return parseArgs({ options }).values;
  } catch (error) {
    throw new UserFacingError(`${(error as Error).message.split('. ')[0]}. ${usage}`);
  }
};

const print = (line: string) => console.log(line);

const introduction = ({ demo: { baseUrl, caFile, companies }, served }: LocalService, { service }: Options): string => {
  const [company] = companies;
  const firstStep = company
    ? `curl --cacert '${caFile}' --header 'x-api-key: ${company.apiKey}' ${baseUrl}/contract`
    : `No company is onboarded yet:\nnpm run operator -- company onboard acme --local --reason 'to try it'`;
  const inspector = served.inspectorAddress
    ? `\nInspector of ${service.inspect}: ${served.inspectorAddress} (attach an editor, or open chrome://inspect)`
    : '';
  return `
Serving the synthesized stack at ${baseUrl}
Guide and reference: ${new URL(apiPagePath, baseUrl)}
Demo companies, keys and addresses: ${join(directory, 'demo.json')}
Logs: ${join(directory, 'logs')}${inspector}

${firstStep}
`;
};

/** Shows how a wrong option of `serveStack` is mended on the command line. */
const examples = {
  dynamoDbEndpoint: 'npm start -- --dynamodb-endpoint http://localhost:8000',
  port: 'npm start -- --port 9443',
};

const sentenceOf = ({ message, option }: UserFacingError): string =>
  option ? `${message.replace(/\.$/, '')}: ${examples[option]}` : message;

const run = async (options: Options) => {
  const servedHash = options.isWatched ? hashOfInputs() : undefined;
  const starting = startLocalService(options.service);
  const stop = async () => {
    await (await starting).close();
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop());
  const service = await starting;
  if (servedHash !== undefined) swapOnChange(service, servedHash, print);
  print(introduction(service, options));
};

try {
  await run(readOptions());
} catch (error) {
  console.error(error instanceof UserFacingError ? sentenceOf(error) : error);
  process.exit(1);
}
