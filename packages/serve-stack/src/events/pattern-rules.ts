import { UserFacingError } from '../errors/user-facing-error.ts';
import type { Resolve } from '../template/intrinsics.ts';
import type { Stack } from '../template/template.ts';
import { type BusEnvelope, busArn } from './event-bus.ts';
import { compilePattern } from './event-pattern.ts';
import { readRules, requireKnownTargets } from './rule-definitions.ts';
import { compileDelivery, type QueueAccess } from './rule-delivery.ts';

/** A rule that takes events from a bus. */
export type PatternRule = {
  readonly name: string;
  readonly busArn: string;
  readonly matches: (event: BusEnvelope) => boolean;
  /** Sends the event to each target; throws where one could take it neither there nor to its dead letters. */
  readonly deliver: (event: BusEnvelope) => Promise<void>;
};

const knownTargetProperties = ['DeadLetterConfig', 'InputPath', 'RetryPolicy', 'SqsParameters'];

/** Compiles the rules that send events from buses to queues; what is not known of one is an error here. */
export const compilePatternRules = (stack: Stack, resolve: Resolve, queues: QueueAccess): PatternRule[] =>
  readRules(stack.template, resolve).patterns.map((rule) => {
    const { logicalId, pattern, bus, targets } = rule;
    requireKnownTargets(targets, knownTargetProperties);
    for (const { Arn } of targets)
      if (!Arn.includes(':sqs:'))
        throw new UserFacingError(`The local run knows rules from a bus to queues; ${logicalId} leads to ${Arn}.`);
    const deliveries = targets.map((target) => compileDelivery(rule, target, queues));
    return {
      name: logicalId,
      busArn: busArn(stack.environment, bus),
      matches: compilePattern(JSON.stringify(pattern)),
      deliver: async (event) => void (await Promise.all(deliveries.map((deliver) => deliver(event)))),
    };
  });
