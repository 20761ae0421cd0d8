import { gatewayNotFound, invalidRequest, Problem } from '../api/problems.ts';
import { pointerTo } from '../api/schemas/common.ts';
import type { ApplianceFunction } from '../api/schemas/gateway.ts';
import type { ChangeOutcome } from '../data/appliances/requested-changes.ts';
import type { Block } from '../domain/appliance.ts';
import { retryAfterField } from '../domain/rate-limits.ts';
import { blockMembers } from './appliances.ts';

/**
 * Returns the item with its requested change, or the problem that prevented it; `missing` is the problem of an item that is
 * gone.
 */
export const itemOrProblem = <Item, Missing extends Problem>(
  outcome: ChangeOutcome<Item>,
  { uses, nowMs, missing }: { uses: ApplianceFunction; nowMs: number; missing: Missing },
) => {
  switch (outcome.outcome) {
    case 'requested':
      return outcome.item;
    case 'appliance-function-blocked':
      return blockedProblem(uses, outcome.block, nowMs);
    case 'precondition-failed':
      return new Problem('precondition-failed');
    case 'gateway-removed':
      return gatewayNotFound('removed');
    case 'gone':
      return missing;
    case 'reference-not-found':
      return invalidRequest([
        {
          pointer: pointerTo('body', 'activeTimeProgramId'),
          detail: 'Expected the id of a time program of this circuit.',
        },
      ]);
  }
};

const blockedProblem = (uses: ApplianceFunction, block: Block, nowMs: number) =>
  new Problem(
    'appliance-function-blocked',
    { function: uses, ...blockMembers(block) },
    block.untilMs === null ? {} : { 'Retry-After': retryAfterField(block.untilMs - nowMs) },
  );
