import { Problem } from '../../../api/problem.ts';
import type { Step } from '../step.ts';

/** Refuses remote control under a contract that has ended; the contract itself can still be read. */
export const activeContract: Step<'activeContract'> =
  () =>
  ({ contract }) =>
    contract.state === 'active' ? undefined : new Problem('contract-not-active');
