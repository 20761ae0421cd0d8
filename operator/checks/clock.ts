import type { OperatorContext } from '../cli/context.ts';
import { type Finding, ok, warning } from './finding.ts';

const allowedSkewMs = 2000;

/** Keys and audit rows are dated by this machine. */
export const checkClock = async ({ connect, host }: OperatorContext): Promise<Finding[]> => {
  const { readStoreTimeMs } = await connect();
  const beforeMs = host.nowMs();
  // Whole seconds, rounded up: on average, half a second less has passed.
  const storeMs = (await readStoreTimeMs()) - 500;
  const skewMs = Math.round((beforeMs + host.nowMs()) / 2 - storeMs);
  const what = `the clock of this machine is ${Math.abs(skewMs)} ms ${skewMs < 0 ? 'behind' : 'ahead of'} that of the store, as far as it tells`;
  return [Math.abs(skewMs) < allowedSkewMs ? ok(what) : warning(what, 'set the clock; let it follow a time server')];
};
