import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { lambdaHandler } from '../runtime/function-environment.ts';
import { sandboxEnvironment } from './environment.ts';
import { simulateDueHomes } from './simulate-homes.ts';
import { takeSandboxMessages } from './take-messages.ts';

/**
 * Simulates the homes of a sandbox. A queue invokes it with requested changes or with controls, and a schedule invokes it each
 * minute.
 */
export const handler = lambdaHandler(
  sandboxEnvironment(process.env),
  async (event: Partial<SQSEvent>, environment): Promise<SQSBatchResponse | undefined> => {
    if (event.Records) return takeSandboxMessages(environment, event.Records);
    await simulateDueHomes(environment);
    return undefined;
  },
);
