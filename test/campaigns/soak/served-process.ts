import { startLocalService } from '../../../local/service.ts';

/**
 * What `npm start` runs but for the fleet, with a store of its own, in the folder that the first argument names. Its functions
 * are never late on a slow machine: a soak asks what a long time does to the service, not how fast the machine is.
 */
const [directory = ''] = process.argv.slice(2);
const service = await startLocalService({ port: 0, directory, timeFactor: 100, isWithoutFleet: true });
process.once('SIGTERM', () => void service.close().then(() => process.exit(0)));
process.send?.(service.demo);
