import { buffer } from 'node:stream/consumers';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { FaultProxy } from './fault-proxy.ts';

/** What the SDK is about to put on the wire, and what came back. */
type WireRequest = { hostname: string; port: number; headers: Record<string, string>; body: string };
type WireResponse = { headers: Record<string, string>; body: AsyncIterable<Uint8Array> | Uint8Array };

/**
 * Lets a client of the proxy ask DynamoDB Local itself while no fault is planned, because the way through the proxy costs as
 * much time as the request. Both ways record the same of a request, and answer the same.
 */
export const leaveOutWhileFaultless = (client: DynamoDBClient, proxy: FaultProxy, dynamoDbEndpoint: string): void => {
  const { hostname, port, host } = new URL(dynamoDbEndpoint);
  client.middlewareStack.add(
    (next) => async (step) => {
      if (!proxy.isFaultless()) return next(step);
      const request = step.request as WireRequest;
      const exchange = proxy.record(request.headers['x-amz-target'], request.body);
      const body = JSON.stringify(proxy.inputOf(exchange));
      const headers = { ...request.headers, host, 'content-length': `${Buffer.byteLength(body)}` };
      // A request of its own: another attempt starts from the SDK's, which is addressed to the proxy.
      const answered = await next({ ...step, request: { ...request, hostname, port: Number(port), headers, body } });
      const response = answered.response as WireResponse;
      const payload = await buffer(response.body as AsyncIterable<Uint8Array>);
      exchange.output = JSON.parse(payload.toString());
      response.body = payload;
      response.headers.date = new Date().toUTCString();
      return answered;
    },
    // Behind the SDK's own, next to the wire: each attempt passes here.
    { step: 'deserialize', priority: 'low', name: 'leaveOutWhileFaultless' },
  );
};
