// A process that loads Node's own modules that a bundle needs, then the bundle, and prints the milliseconds of processor
// time that each took. node:http is there before, as in loading-probe.mjs.
await import('node:http');

const [bundle, ...builtins] = process.argv.slice(2);
const measure = async (load) => {
  const before = process.cpuUsage();
  await load();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};
const ofNodeMs = await measure(() => builtins.map((name) => process.getBuiltinModule(name)));
process.stdout.write(JSON.stringify({ ofNodeMs, ofBundleMs: await measure(() => import(bundle)) }));
process.exit();
