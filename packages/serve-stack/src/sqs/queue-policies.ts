import { UserFacingError } from '../errors/user-facing-error.ts';
import type { PolicyDocument } from '../iam/iam-policy.ts';
import { compileResourcePolicy, type ResourcePolicy } from '../iam/resource-access.ts';
import type { Resolve } from '../template/intrinsics.ts';
import { readResources } from '../template/resources.ts';
import type { Stack } from '../template/template.ts';

type QueuePolicyProperties = { readonly PolicyDocument: PolicyDocument; readonly Queues: readonly string[] };

/** Holds the documents that a queue's policy consists of, one at most, by the queue's URL. */
type Documents = ReadonlyMap<string, PolicyDocument>;

/** Reads the policies of the template's queues. SQS keeps one for each: a second one would replace the first. */
export const readQueuePolicies = ({ template }: Stack, resolve: Resolve): Documents => {
  const documents = new Map<string, PolicyDocument>();
  for (const { Queues, PolicyDocument, logicalId } of readResources<QueuePolicyProperties>(
    template,
    resolve,
    'AWS::SQS::QueuePolicy',
    ['PolicyDocument', 'Queues'],
  ))
    for (const url of Queues) {
      if (documents.has(url)) throw new UserFacingError(`${logicalId} is a second policy of the queue ${url}.`);
      documents.set(url, PolicyDocument);
    }
  return documents;
};

/** Compiles the policies to decisions, by the ARN of each queue; a queue without one decides nothing by itself. */
export const compileQueuePolicies = (
  { environment: { accountId } }: Stack,
  queues: readonly { readonly arn: string; readonly url: string }[],
  documents: Documents,
): ReadonlyMap<string, ResourcePolicy> =>
  new Map(
    queues.map(({ arn, url }) => {
      const document = documents.get(url);
      return [arn, compileResourcePolicy(document ? [document] : [], accountId)];
    }),
  );
