import { resolve } from 'node:path';
import { UserFacingError } from 'serve-stack';
import { jobNames } from '../lambdas/api/background-functions.ts';
import { operationIds } from '../lambdas/api/endpoints/endpoints.ts';
import { parseOptions, portOf } from './command-line.ts';
import type { LocalServiceOptions } from './service.ts';

const usage =
  'Known are --port <number>, --directory <path>, --keep, --empty, --without-backend, --dynamodb-endpoint <url>, --watch and --inspect <operation id>.';

const options = {
  port: { type: 'string', default: '8443' },
  directory: { type: 'string', default: '.local' },
  keep: { type: 'boolean', default: false },
  empty: { type: 'boolean', default: false },
  'without-backend': { type: 'boolean', default: false },
  'dynamodb-endpoint': { type: 'string' },
  watch: { type: 'boolean', default: false },
  inspect: { type: 'string' },
} as const;

export type Options = { readonly service: Omit<LocalServiceOptions, 'print'>; readonly isWatched: boolean };

/** Reads the arguments of `npm start`. Throws a sentence that says what to write instead. */
export const readOptions = (args: readonly string[]): Options => {
  const {
    port,
    directory,
    keep,
    empty,
    watch,
    inspect,
    'without-backend': isWithoutBackend,
    'dynamodb-endpoint': dynamoDbEndpoint,
  } = parseOptions(args, options, usage);
  if (dynamoDbEndpoint !== undefined && !/^http:\/\/[^/]+\/?$/.test(dynamoDbEndpoint))
    throw new UserFacingError(`--dynamodb-endpoint ${dynamoDbEndpoint} is none; write one like http://localhost:8000.`);
  if (keep && empty) throw new UserFacingError('--empty and --keep exclude each other: what is kept is not empty.');
  const inspectable: readonly string[] = [...operationIds, ...jobNames];
  if (inspect !== undefined && !inspectable.includes(inspect))
    throw new UserFacingError(`--inspect ${inspect} is no operation; known are ${inspectable.join(', ')}.`);
  return {
    // A path is one in the working directory: npm's scripts run in the project's root.
    service: {
      port: portOf(port),
      directory: resolve(directory),
      keepData: keep,
      isEmpty: empty,
      isWithoutBackend,
      dynamoDbEndpoint,
      inspect,
    },
    isWatched: watch,
  };
};
