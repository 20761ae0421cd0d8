import {
  CloudFormationClient,
  DeleteChangeSetCommand,
  DescribeChangeSetCommand,
  DescribeStackResourceCommand,
  DescribeStacksCommand,
  GetTemplateCommand,
  paginateDescribeChangeSet,
  type ResourceChange,
  SetStackPolicyCommand,
  type Stack,
} from '@aws-sdk/client-cloudformation';
import { STSClient } from '@aws-sdk/client-sts';
import { stackNameOf } from '../../config/schema.ts';
import { callerIn } from '../../operator/connection/aws.ts';
import { mergeNestedStacks, nestedStacksIn, type Template } from '../assembly.ts';
import { Refusal } from './run.ts';

/** A stage with its account and region. */
export type Stage = { readonly stage: string; readonly account: string; readonly region: string };

/**
 * Returns the stack of a stage and its deployed template, which has no resources if the stack does not exist yet. Throws a
 * Refusal if the stack cannot be deployed to now, and an OperatorError if the credentials belong to another account.
 */
export const openStage = async ({ stage, account, region }: Stage) => {
  const stackName = stackNameOf(stage);
  await callerIn(account, stage, new STSClient({ region }));
  const stack = openStack(new CloudFormationClient({ region }), stackName);
  const before = await stack.describe();
  const refusal = stateRefusal(before);
  if (refusal) throw new Refusal(refusal);
  const isThere = stackIsThere(before);
  const deployed: Template = isThere ? await stack.template() : { Resources: {} };
  return { stackName, stack, isThere, deployed };
};

/** Returns CloudFormation's operations on a stack. */
const openStack = (client: CloudFormationClient, StackName: string) => ({
  /** Returns `undefined` if the stack does not exist. */
  describe: async (): Promise<Stack | undefined> => {
    try {
      return (await client.send(new DescribeStacksCommand({ StackName }))).Stacks?.[0];
    } catch (error) {
      if ((error as Error).name === 'ValidationError' && /does not exist/.test((error as Error).message))
        return undefined;
      throw error;
    }
  },
  /** Returns the deployed template with its intrinsic functions and the resources of its nested stacks. */
  template: () => templateOf(client, StackName),
  /** Returns all changes of a change set, or an empty list if it contains none. */
  changes: (ChangeSetName: string) => changesOf(client, { StackName, ChangeSetName }),
  deleteChangeSet: async (ChangeSetName: string): Promise<void> => {
    await client.send(new DeleteChangeSetCommand({ StackName, ChangeSetName }));
  },
  setPolicy: async (StackPolicyBody: string): Promise<void> => {
    await client.send(new SetStackPolicyCommand({ StackName, StackPolicyBody }));
  },
});

const templateOf = async (client: CloudFormationClient, StackName: string): Promise<Template> => {
  const { TemplateBody = '{}' } = await client.send(new GetTemplateCommand({ StackName }));
  const template: Template = { Resources: {}, ...JSON.parse(TemplateBody) };
  const nested = new Map<string, Template>();
  for (const { logicalId: LogicalResourceId } of nestedStacksIn(template)) {
    const described = await client.send(new DescribeStackResourceCommand({ StackName, LogicalResourceId }));
    const { PhysicalResourceId = '' } = described.StackResourceDetail ?? {};
    nested.set(LogicalResourceId, await templateOf(client, PhysicalResourceId));
  }
  return mergeNestedStacks(template, ({ logicalId }) => nested.get(logicalId) ?? { Resources: {} });
};

/**
 * Replaces a nested stack's change with the changes of its resources: CloudFormation reports a nested stack as changed whenever
 * values are passed to it, even if they are the same as before.
 */
const changesOf = async (
  client: CloudFormationClient,
  changeSet: { readonly StackName?: string; readonly ChangeSetName: string },
): Promise<ResourceChange[]> => {
  const { Status, StatusReason } = await client.send(new DescribeChangeSetCommand(changeSet));
  if (Status === 'FAILED') {
    if (/didn't contain changes|No updates are to be performed/.test(StatusReason ?? '')) return [];
    throw new Error(`CloudFormation could not create the change set: ${StatusReason}`);
  }
  const changes: ResourceChange[] = [];
  for await (const page of paginateDescribeChangeSet({ client }, changeSet))
    for (const { ResourceChange: change } of page.Changes ?? []) {
      if (change?.ChangeSetId) changes.push(...(await changesOf(client, { ChangeSetName: change.ChangeSetId })));
      else if (change) changes.push(change);
    }
  return changes;
};

export type DeployedStack = ReturnType<typeof openStack>;

/** Returns why a stack in this state cannot be deployed to, and the way out; `undefined` if it can. */
const stateRefusal = (stack: Stack | undefined): string | undefined => {
  const { StackName = '', StackStatus: status = '', StackStatusReason: reason } = stack ?? {};
  const because = reason ? ` (${reason})` : '';
  if (/^(CREATE_FAILED|ROLLBACK_COMPLETE|ROLLBACK_FAILED)$/.test(status))
    return `The first deployment of ${StackName} failed: the stack is ${status}${because}. Find the cause (aws cloudformation describe-stack-events --stack-name ${StackName}), clean up as described in docs/first-deploy.md under "If the first deployment fails", and deploy again.`;
  if (status === 'UPDATE_ROLLBACK_FAILED')
    return `An update of ${StackName} could not be rolled back: the stack is ${status}${because}. Fix the cause that its events show, then run: aws cloudformation continue-update-rollback --stack-name ${StackName}`;
  if (/^(DELETE_FAILED|DELETE_COMPLETE)$/.test(status))
    return `The deletion of ${StackName} was started: the stack is ${status}${because}. Finish the deletion first: aws cloudformation delete-stack --stack-name ${StackName}`;
  if (status.endsWith('_IN_PROGRESS') && status !== 'REVIEW_IN_PROGRESS')
    return `Another deployment of ${StackName} is in progress: the stack is ${status}. Wait until it has ended.`;
  return undefined;
};

/** Returns whether a stack was ever deployed. Its first change set alone already creates a stack. */
const stackIsThere = (stack: Stack | undefined): boolean =>
  stack !== undefined && stack.StackStatus !== 'REVIEW_IN_PROGRESS';
