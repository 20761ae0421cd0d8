// A process that loads one bundled function and calls it once, as a cold start does, and prints the milliseconds
// it took, how many of them were loading, and the processor time of both, which other work on the machine disturbs little.
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
const cpuBefore = process.cpuUsage();
const startedAt = performance.now();
const { handler } = await import(bundle);
const loadingMs = performance.now() - startedAt;
const { statusCode } = await handler(event, {});
const durationMs = performance.now() - startedAt;
const { user, system } = process.cpuUsage(cpuBefore);
if (statusCode !== 401) throw new Error(`Expected 401 after one store call, got ${statusCode}.`);
process.stderr.write(JSON.stringify({ durationMs, loadingMs, cpuMs: (user + system) / 1000 }));
