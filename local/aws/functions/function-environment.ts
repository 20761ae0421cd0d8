import { randomBytes } from 'node:crypto';
import { account } from '../template/account.ts';

type Facts = {
  readonly name: string;
  readonly handler: string;
  readonly taskRoot: string;
  readonly memoryMegabytes: number;
  readonly runtime: string;
  readonly logGroup: string;
};

/** The variables that Lambda sets by itself, the paths into its image excepted. */
export const lambdaEnvironment = (facts: Facts, accessKeyId: string): Record<string, string> => ({
  AWS_ACCESS_KEY_ID: accessKeyId,
  AWS_DEFAULT_REGION: account.region,
  AWS_EXECUTION_ENV: `AWS_Lambda_${facts.runtime}`,
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(facts.memoryMegabytes),
  AWS_LAMBDA_FUNCTION_NAME: facts.name,
  AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
  AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
  AWS_LAMBDA_LOG_GROUP_NAME: facts.logGroup,
  AWS_LAMBDA_LOG_STREAM_NAME: `local/[$LATEST]${randomBytes(16).toString('hex')}`,
  AWS_REGION: account.region,
  AWS_SECRET_ACCESS_KEY: randomBytes(30).toString('base64'),
  AWS_SESSION_TOKEN: randomBytes(48).toString('base64'),
  LAMBDA_TASK_ROOT: facts.taskRoot,
  LANG: 'en_US.UTF-8',
  TZ: ':UTC',
  _HANDLER: facts.handler,
});

/** Where the SDK finds DynamoDB: the one variable that stands in for the network. */
export const storeEndpointVariable = 'AWS_ENDPOINT_URL_DYNAMODB';
