// A process that loads one bundled function and calls it once, as a cold start does, and prints the milliseconds it took.
// Lambda's own runtime has loaded node:http by then, as has this one; that the SDK imports it is due to DynamoDB Local's
// plain HTTP alone.
await import('node:http');

const [bundle, apiKey] = process.argv.slice(2);
const multiValueHeaders = { 'x-api-key': [apiKey] };
const event = {
  headers: { 'x-api-key': apiKey },
  multiValueHeaders,
  requestContext: { extendedRequestId: 'probe', requestTimeEpoch: Date.now(), identity: { sourceIp: '127.0.0.1' } },
};
const startedAt = performance.now();
const { handler } = await import(bundle);
const { statusCode } = await handler(event, {});
const durationMs = performance.now() - startedAt;
if (statusCode !== 401) throw new Error(`Expected 401 after one store call, got ${statusCode}.`);
process.stderr.write(String(durationMs));
