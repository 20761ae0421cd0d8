import * as z from 'zod/mini';
import type { SandboxFunctionName } from '../sandbox.ts';
import { idPattern } from '../schemas/common.ts';
import { commonFields } from './request-event.ts';

const id = z.string().check(z.regex(idPattern));

/**
 * The log event of what the sandbox did with one simulated home: all fields that its line may have. A home that was due and had
 * nothing to report has no line.
 */
export const simulatedHomeEvent = z.strictObject({
  ...commonFields,
  operation: z.literal('simulateHomes' satisfies SandboxFunctionName),
  /** Absent if the message has none, or if the homes could not be listed. */
  gatewayId: z.optional(id),
  /**
   * `already`: the control changes nothing. `unreachable`: the gateway is offline. `unsupported`: the appliance does not have
   * the function of the control. `unknown-home` and `unreadable`: the message was dropped. `failed`: the message is received
   * again, or the next run repeats the work.
   */
  outcome: z.enum([
    'installed',
    'simulated',
    'already',
    'unreachable',
    'unsupported',
    'unknown-home',
    'unreadable',
    'failed',
  ]),
  /** The control that an operator sent. */
  control: z.optional(z.string()),
  /** How many events of the gateway backend and the portal were sent. */
  messages: z.optional(z.int().check(z.nonnegative())),
});

export type SimulatedHomeEvent = z.output<typeof simulatedHomeEvent>;
