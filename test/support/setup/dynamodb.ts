import type { TestProject } from 'vitest/node';
import { startDynamoDbLocal } from '../../../local/aws/dynamodb/dynamodb-local.ts';

declare module 'vitest' {
  interface ProvidedContext {
    dynamoDbEndpoint: string;
  }
}

/** Starts one DynamoDB Local for all test files of a project; each file has tables of its own in it. */
export default async (project: TestProject) => {
  const dynamoDb = await startDynamoDbLocal();
  project.provide('dynamoDbEndpoint', dynamoDb.endpoint);
  return dynamoDb.stop;
};
