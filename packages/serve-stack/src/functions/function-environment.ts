import { randomBytes } from 'node:crypto';
import { type FunctionDefinition, logStreamOf } from './function-definitions.ts';

type Place = { readonly taskRoot: string; readonly region: string; readonly accessKeyId: string };

/** Gives the variables that Lambda sets by itself, the paths into its image excepted. */
export const lambdaEnvironment = (
  { name, version, handler, runtime, memoryMegabytes, logGroup }: FunctionDefinition,
  { taskRoot, region, accessKeyId }: Place,
): Record<string, string> => ({
  AWS_ACCESS_KEY_ID: accessKeyId,
  AWS_DEFAULT_REGION: region,
  AWS_EXECUTION_ENV: `AWS_Lambda_${runtime}`,
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMegabytes),
  AWS_LAMBDA_FUNCTION_NAME: name,
  AWS_LAMBDA_FUNCTION_VERSION: version,
  AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
  AWS_LAMBDA_LOG_GROUP_NAME: logGroup,
  AWS_LAMBDA_LOG_STREAM_NAME: logStreamOf({ name, version }) + randomBytes(16).toString('hex'),
  AWS_REGION: region,
  AWS_SECRET_ACCESS_KEY: randomBytes(30).toString('base64'),
  AWS_SESSION_TOKEN: randomBytes(48).toString('base64'),
  LAMBDA_TASK_ROOT: taskRoot,
  LANG: 'en_US.UTF-8',
  TZ: ':UTC',
  _HANDLER: handler,
});

/** Tells the SDK where DynamoDB is: the one variable that stands in for the network. */
export const storeEndpointVariable = 'AWS_ENDPOINT_URL_DYNAMODB';
