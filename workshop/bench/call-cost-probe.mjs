// A process that calls one bundled function many times, as a busy function is called, and prints the milliseconds of processor
// time of a call. Other work on the machine and the latency of the store disturb it little.
const [bundle, event, calls, beginMs] = process.argv.slice(2);
const request = JSON.parse(event);
const { handler } = await import(bundle);

let nowMs = Number(beginMs);
const callTimes = async (times) => {
  for (let call = 0; call < times; call++) {
    // Slower than the bucket refills.
    nowMs += 3000;
    const requestContext = { ...request.requestContext, requestTimeEpoch: nowMs };
    const { statusCode, body } = await handler({ ...request, requestContext }, {});
    if (statusCode !== 200) throw new Error(`The call was answered with ${statusCode}: ${body}`);
  }
};
await callTimes(calls / 5);
const before = process.cpuUsage();
await callTimes(calls);
const { user, system } = process.cpuUsage(before);
process.stderr.write(JSON.stringify({ cpuMs: (user + system) / 1000 / calls }));
process.exit();
