/** DynamoDB Local with the tables and streams of a template, and the proxy that enforces roles. */
export { clientConfigOf, startDynamoDbLocal } from './src/dynamodb/dynamodb-local.ts';
export { type ConsumedUnits, consumedUnitsOf, startDynamoDbProxy } from './src/dynamodb/dynamodb-proxy.ts';
export { createStreamReader, type StreamRecord } from './src/dynamodb/stream-reader.ts';
export { createTables } from './src/dynamodb/tables.ts';
