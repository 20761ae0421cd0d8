import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { UserFacingError } from '../errors/user-facing-error.ts';
import type { ResourcePolicy } from '../iam/resource-access.ts';
import { type QueueDefinition, queueAt } from '../sqs/queue-definitions.ts';
import type { BusEnvelope } from './event-bus.ts';
import { compileInputPath } from './input-path.ts';
import type { RuleTarget, RuleWithPattern } from './rule-definitions.ts';

/** Holds the queues of the template as a service of AWS reaches them: by what their policies say. */
export type QueueAccess = {
  readonly definitions: readonly QueueDefinition[];
  readonly policies: ReadonlyMap<string, ResourcePolicy>;
  readonly client: () => Promise<SQSClient>;
};

type Message = Omit<SendMessageCommand['input'], 'QueueUrl'>;

/** Sends an event to a target; one that cannot be sent goes to the target's dead letters, or is lost with an error. */
export const compileDelivery = (
  { logicalId, arn: ruleArn }: RuleWithPattern,
  { Arn, InputPath = '$', DeadLetterConfig, SqsParameters }: RuleTarget,
  { definitions, policies, client }: QueueAccess,
): ((event: BusEnvelope) => Promise<void>) => {
  const queue = queueAt(definitions, Arn, `the rule ${logicalId}`);
  const deadLetters = DeadLetterConfig?.Arn && queueAt(definitions, DeadLetterConfig.Arn, `the rule ${logicalId}`);
  const inputOf = compileInputPath(InputPath);

  const send = async ({ arn, url }: QueueDefinition, message: Message) => {
    const decision = policies.get(arn)?.({
      ...{ action: 'sqs:SendMessage', resource: arn, sourceArn: ruleArn, secureTransport: true },
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
