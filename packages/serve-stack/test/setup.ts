import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startDynamoDbLocal } from '../dynamodb.ts';
import { whenNpmEnds } from '../host.ts';

declare module 'vitest' {
  interface ProvidedContext {
    dynamoDbEndpoint: string;
  }
}

/**
 * Starts one DynamoDB Local for all test files, and creates one folder for their temporary files, which is removed at the end.
 * The name of the folder is short because paths of sockets are limited.
 */
export default async (project: TestProject) => {
  whenNpmEnds(() => process.kill(process.pid, 'SIGTERM'));
  const directory = mkdtempSync(join(tmpdir(), 't-'));
  Object.assign(process.env, { TMPDIR: directory, NODE_COMPILE_CACHE: join(directory, 'compiled') });
  const { endpoint, stop } = await startDynamoDbLocal({ announce: console.log });
  project.provide('dynamoDbEndpoint', endpoint);
  return async () => {
    await stop();
    rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
  };
};
