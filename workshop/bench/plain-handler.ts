import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import middy from '@middy/core';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { z } from 'zod';

/** A function without size optimization: the same libraries, imported as their guides show. */
const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));
const headers = z.object({ 'x-api-key': z.string().min(1) });

export const handler = middy<APIGatewayProxyEvent>().handler(async (event) => {
  const apiKey = headers.parse(event.headers)['x-api-key'];
  const key = { companyId: 'nobody', sk: apiKey };
  const { Item } = await client.send(new GetCommand({ TableName: process.env.API_KEYS_TABLE, Key: key }));
  return { statusCode: Item ? 200 : 401, body: '' };
});
