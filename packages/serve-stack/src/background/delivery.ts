import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { UserFacingError } from '../errors.ts';
import type { ResourcePolicy } from '../iam/access.ts';
import type { BusEnvelope } from '../services/event-service.ts';
import { type QueueDefinition, queueAt } from '../services/queue-definitions.ts';

/** A target of a rule in the template. */
export type RuleTarget = {
  readonly Arn: string;
  readonly DeadLetterConfig?: { readonly Arn?: string };
  readonly InputPath?: string;
  readonly SqsParameters?: { readonly MessageGroupId: string };
};

/** The queues of the template with their policies, which apply to a service of AWS. */
export type QueueAccess = {
  readonly definitions: readonly QueueDefinition[];
  readonly policies: ReadonlyMap<string, ResourcePolicy>;
  readonly client: () => Promise<SQSClient>;
};

type Message = Omit<SendMessageCommand['input'], 'QueueUrl'>;

/**
 * Returns a function that sends an event to a target. If that fails, the event goes to the target's dead-letter queue; without
 * one, or if it refuses too, the function throws and the event is lost.
 */
export const compileDelivery = (
  { logicalId, arn: ruleArn }: { readonly logicalId: string; readonly arn: string },
  { Arn, InputPath = '$', DeadLetterConfig, SqsParameters }: RuleTarget,
  { definitions, policies, client }: QueueAccess,
): ((event: BusEnvelope) => Promise<void>) => {
  const queue = queueAt(definitions, Arn, `the rule ${logicalId}`);
  const deadLetters = DeadLetterConfig?.Arn && queueAt(definitions, DeadLetterConfig.Arn, `the rule ${logicalId}`);
  const inputOf = compileInputPath(InputPath);

  const send = async ({ arn, url }: QueueDefinition, message: Message) => {
    const decision = policies.get(arn)?.({
      action: 'sqs:SendMessage',
      resource: arn,
      sourceArn: ruleArn,
      secureTransport: true,
      caller: { service: 'events.amazonaws.com' },
    });
    if (decision !== 'allow')
      throw new UserFacingError(`The policy of the queue ${arn} does not let the rule ${logicalId} send to it.`);
    await (await client()).send(new SendMessageCommand({ QueueUrl: url, ...message }));
  };

  return async (event) => {
    try {
      await send(queue, {
        MessageBody: JSON.stringify(inputOf(event)),
        MessageGroupId: SqsParameters?.MessageGroupId,
      });
    } catch (error) {
      if (!deadLetters) throw error;
      const { message } = error as Error;
      await send(deadLetters, {
        MessageBody: JSON.stringify(event),
        MessageAttributes: textAttributes({
          ERROR_CODE: error instanceof UserFacingError ? 'NO_PERMISSIONS' : 'ERROR_FROM_TARGET',
          ERROR_MESSAGE: message,
          RULE_ARN: ruleArn,
          TARGET_ARN: Arn,
        }),
      });
    }
  };
};

const textAttributes = (texts: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(texts).map(([name, StringValue]) => [name, { DataType: 'String', StringValue }]));

const knownPath = /^\$(\.[\w-]+)*$/;

/** Compiles a path of names into an event; `$` is the whole event. Throws for any other kind of path. */
const compileInputPath = (path: string): ((event: unknown) => unknown) => {
  if (!knownPath.test(path)) throw new UserFacingError(`The local run does not know the path ${path} into an event.`);
  return (event) => {
    let value = event;
    for (const name of path.split('.').slice(1)) value = (value as Record<string, unknown> | undefined)?.[name];
    if (value === undefined) throw new UserFacingError(`There is nothing at ${path} of the event.`);
    return value;
  };
};
