import { Problem } from '../api/problem.ts';
import type { ApplianceFunction } from '../api/schemas/gateway.ts';
import type { ChangeOutcome } from '../data/appliances/requested-changes.ts';
import { type Block, presentBlock } from '../domain/appliances/appliance.ts';
import { retryAfterField } from '../domain/rate-limits/rate-limit-headers.ts';

/** The item with its requested change, or the problem that kept it from being stored; `missing` names what is gone if it is gone. */
export const requestedOrProblem = <Item>(
  outcome: ChangeOutcome<Item>,
  {
    uses,
    nowMs,
    missing,
  }: { uses: ApplianceFunction; nowMs: number; missing: 'circuit-not-found' | 'time-program-not-found' },
): Item => {
  switch (outcome.outcome) {
    case 'requested':
      return outcome.item;
    case 'appliance-function-blocked':
      throw blockedProblem(uses, outcome.block, nowMs);
    case 'precondition-failed':
      throw new Problem('precondition-failed');
    case 'gone':
      throw new Problem(missing);
    case 'reference-not-found':
      throw new Problem('invalid-request', {
        errors: [
          { pointer: '/body/activeTimeProgramId', detail: 'Expected the id of a time program of this circuit.' },
        ],
      });
  }
};

const blockedProblem = (uses: ApplianceFunction, block: Block, nowMs: number): Problem =>
  new Problem(
    'appliance-function-blocked',
    { function: uses, ...presentBlock(block) },
    block.untilMs === null ? {} : { 'Retry-After': retryAfterField(block.untilMs - nowMs) },
  );
