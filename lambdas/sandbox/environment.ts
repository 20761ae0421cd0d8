import { setTimeout } from 'node:timers/promises';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { requireVariable } from '../api/environment.ts';
import { sandboxVariables } from '../api/sandbox.ts';
import { maxAttempts } from '../data/store/store.ts';
import { type FunctionEnvironment, functionEnvironment, requestTimeouts } from '../runtime/function-environment.ts';
import { createQueueSender, putEvents } from '../runtime/senders.ts';
import type { SandboxMessage } from './messages.ts';
import type { HomesTable } from './simulated-homes.ts';

/**
 * What the stage provides to the function of the sandbox. It reaches the service as the maker's other systems do: through the
 * queues of the gateway backend and the bus of the portal. Of the service's tables it only reads which companies there are.
 */
export type SandboxEnvironment = FunctionEnvironment & {
  readonly homesTable: HomesTable;
  /** The number of homes that each company has. */
  readonly homesOfCompany: () => number;
  /** Resolves when the queue or the bus has accepted the event. Throws the SDK's errors. */
  readonly send: (message: SandboxMessage) => Promise<void>;
  /** Resolves after this many milliseconds. */
  readonly wait: (milliseconds: number) => Promise<unknown>;
};

type Variables = Readonly<Record<string, string | undefined>>;

/** Reads what the stack has set. A missing variable throws only when it is used. */
export const sandboxEnvironment = (variables: Variables): SandboxEnvironment => {
  const variable = (name: string): string => requireVariable(variables, name, 'is that of the sandbox');
  const environment = functionEnvironment(variables);
  const sendToQueue = createQueueSender(variables, requestTimeouts);
  const bus = new EventBridgeClient({
    maxAttempts,
    requestHandler: { ...requestTimeouts, throwOnRequestTimeout: true },
  });
  return {
    ...environment,
    homesTable: { send: environment.store.send, tableName: () => variable(sandboxVariables.homesTable) },
    homesOfCompany: () => Number(variable(sandboxVariables.homesOfCompany)),
    send: (message) =>
      message.source === 'portal'
        ? putEvents(
            bus,
            variable(sandboxVariables.portalBus),
            [{ detailType: message.type, detail: message }],
            'portal',
          )
        : sendToQueue('gatewayReports', { body: JSON.stringify(message), groupId: message.subject }),
    wait: (milliseconds) => setTimeout(milliseconds),
  };
};
