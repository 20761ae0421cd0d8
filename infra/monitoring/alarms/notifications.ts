import { Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription, UrlSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import type { StageConfig } from '../../../config/schema.ts';

/** `page` is told at once, by day and night; `ticket` in working hours. */
export type Urgency = 'page' | 'ticket';

export type Topics = Readonly<Record<Urgency, Topic>>;

/**
 * Creates the two topics on which alarms are told. They are not encrypted with a key of the account's own, since
 * CloudWatch may publish only if it may use the key; an alarm's text holds no secret.
 */
export const createTopics = (scope: Construct, { page, ticket }: StageConfig['monitoring']): Topics => ({
  page: createTopic(scope, 'Page', page),
  ticket: createTopic(scope, 'Ticket', ticket),
});

const createTopic = (scope: Construct, name: string, endpoints: readonly string[]): Topic => {
  const { stackName, account } = Stack.of(scope);
  const topic = new Topic(scope, `${name}Topic`, {
    displayName: `${stackName} ${name.toLowerCase()}`,
    enforceSSL: true,
  });
  // A topic with a policy of its own loses the one that SNS gives it, which lets the account's services publish.
  topic.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': account } },
    }),
  );
  for (const endpoint of endpoints)
    topic.addSubscription(
      endpoint.startsWith('https://') ? new UrlSubscription(endpoint) : new EmailSubscription(endpoint),
    );
  return topic;
};
