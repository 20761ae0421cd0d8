import {
  type CloudFormationClient,
  DeleteChangeSetCommand,
  DescribeChangeSetCommand,
  DescribeStacksCommand,
  GetTemplateCommand,
  paginateDescribeChangeSet,
  type ResourceChange,
  SetStackPolicyCommand,
  type Stack,
} from '@aws-sdk/client-cloudformation';
import type { Template } from './template.ts';

/** The stack of a stage as CloudFormation has it. */
export const openStack = (client: CloudFormationClient, StackName: string) => ({
  /** `undefined` if it is not there. */
  describe: async (): Promise<Stack | undefined> => {
    try {
      return (await client.send(new DescribeStacksCommand({ StackName }))).Stacks?.[0];
    } catch (error) {
      if ((error as Error).name === 'ValidationError' && /does not exist/.test((error as Error).message))
        return undefined;
      throw error;
    }
  },
  /** The template that is deployed, intrinsic functions and all. */
  template: async (): Promise<Template> => {
    const { TemplateBody = '{}' } = await client.send(new GetTemplateCommand({ StackName }));
    return { Resources: {}, ...JSON.parse(TemplateBody) };
  },
  /** Every change of a change set; none, if it has found nothing to change. */
  changes: async (ChangeSetName: string): Promise<ResourceChange[]> => {
    const { Status, StatusReason } = await client.send(new DescribeChangeSetCommand({ StackName, ChangeSetName }));
    if (Status === 'FAILED') {
      if (/didn't contain changes|No updates are to be performed/.test(StatusReason ?? '')) return [];
      throw new Error(`CloudFormation could not make the change set: ${StatusReason}`);
    }
    const changes: ResourceChange[] = [];
    for await (const page of paginateDescribeChangeSet({ client }, { StackName, ChangeSetName }))
      changes.push(...(page.Changes ?? []).flatMap((each) => each.ResourceChange ?? []));
    return changes;
  },
  deleteChangeSet: async (ChangeSetName: string): Promise<void> => {
    await client.send(new DeleteChangeSetCommand({ StackName, ChangeSetName }));
  },
  setPolicy: async (StackPolicyBody: string): Promise<void> => {
    await client.send(new SetStackPolicyCommand({ StackName, StackPolicyBody }));
  },
});

export type DeployedStack = ReturnType<typeof openStack>;
