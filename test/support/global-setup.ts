import type { TestProject } from 'vitest/node';
import { findChromium, howToGetChromium } from '../../local/chromium.ts';
import { startDynamoDbLocal } from '../../local/store/dynamodb-local.ts';
import { synthesizeIfStale } from '../../local/template/synthesis.ts';

declare module 'vitest' {
  interface ProvidedContext {
    assemblyDirectory: string;
    dynamoDbEndpoint: string;
  }
}

/** One synthesized stack and one DynamoDB Local for the whole run; every test file has tables of its own in it. */
export default async (project: TestProject) => {
  if (!findChromium()) console.warn(`The API page is not tested in a browser: to do so, ${howToGetChromium}.`);
  const [assemblyDirectory, dynamoDb] = await Promise.all([synthesizeIfStale(), startDynamoDbLocal()]);
  project.provide('assemblyDirectory', assemblyDirectory);
  project.provide('dynamoDbEndpoint', dynamoDb.endpoint);
  return dynamoDb.stop;
};
