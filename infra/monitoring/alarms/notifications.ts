import type { Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription, UrlSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { StageConfig } from '../../../config/schema.ts';

/** At once, by day and night; or in working hours. */
export type Urgency = 'page' | 'ticket';

/**
 * The two topics on which alarms are told. They are not encrypted with a key of the account's own, since CloudWatch may
 * publish only where it may use the key; an alarm's text holds no secret.
 */
export const createTopics = (
  stack: Stack,
  { page, ticket }: StageConfig['monitoring'],
): Readonly<Record<Urgency, Topic>> => ({
  page: createTopic(stack, 'Page', page),
  ticket: createTopic(stack, 'Ticket', ticket),
});

const createTopic = (stack: Stack, id: string, endpoints: readonly string[]): Topic => {
  const topic = new Topic(stack, id, { displayName: `${stack.stackName} ${id.toLowerCase()}`, enforceSSL: true });
  // A topic with a policy of its own loses the one that SNS gives it, which lets the account's services publish.
  topic.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': stack.account } },
    }),
  );
  for (const endpoint of endpoints)
    topic.addSubscription(
      endpoint.startsWith('https://') ? new UrlSubscription(endpoint) : new EmailSubscription(endpoint),
    );
  return topic;
};
