import type { QueueName } from '../../../lambdas/api/queues.ts';
import { resourceOf, resourcesOf, type Template } from '../synthesized.ts';

type Statement = {
  readonly Effect: 'Allow' | 'Deny';
  readonly Principal: object;
  readonly Action: string | readonly string[];
  readonly Condition?: object;
};

export const queueId = (template: Template, name: QueueName, kind = 'Queue'): string =>
  resourceOf(template, 'AWS::SQS::Queue', `IntegrationsQueues${name}${kind}`)[0];

export const statementsOf = (template: Template, id: string): Statement[] =>
  resourcesOf(template, 'AWS::SQS::QueuePolicy')
    .filter(([, { Properties }]) => Properties.Queues.some(({ Ref }: { Ref: string }) => Ref === id))
    .flatMap(([, { Properties }]) => Properties.PolicyDocument.Statement);

/** Returns who may do what with a queue: the name or ARN of each principal, and its actions. */
export const letsIn = (template: Template, id: string) =>
  statementsOf(template, id)
    .filter(({ Effect }) => Effect === 'Allow')
    .flatMap(({ Principal, Action }) =>
      Object.values(Principal)
        .flat()
        .map((principal) => [principal, [Action].flat().map((action) => action.replace('sqs:', ''))]),
    );
