import { startLocalService } from '../../../local/service.ts';

/**
 * Runs what `npm start` runs, without the fleet and with a separate store, in the folder of the first argument. The functions'
 * timeouts are long, so that a slow machine causes none: a soak tests the effects of a long run, not the speed of the machine.
 */
const [directory = ''] = process.argv.slice(2);
const service = await startLocalService({ port: 0, directory, timeFactor: 100, isWithoutFleet: true });
process.once('SIGTERM', () => void service.close().then(() => process.exit(0)));
process.send?.(service.demo);
