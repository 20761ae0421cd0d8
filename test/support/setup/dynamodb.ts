import { startDynamoDbLocal } from 'serve-stack/dynamodb';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    dynamoDbEndpoint: string;
  }
}

/** Holds the URL of DynamoDB Local, for the other projects of the run. */
const variable = 'DYNAMODB_LOCAL_OF_THIS_TEST_RUN';

/** Starts one DynamoDB Local for all test files of a run. Each file creates its own tables in it. */
export default async (project: TestProject) => {
  const running = process.env[variable];
  if (running) {
    project.provide('dynamoDbEndpoint', running);
    return undefined;
  }
  const { endpoint, stop } = await startDynamoDbLocal({ announce: console.log });
  process.env[variable] = endpoint;
  project.provide('dynamoDbEndpoint', endpoint);
  return async () => {
    delete process.env[variable];
    await stop();
  };
};
