import type { Template } from './template-body.ts';

export type DeployedResource = {
  readonly logicalId: string;
  readonly type: string;
  /** Its name, or an id that the account has made up. */
  readonly physicalId: string;
  /** The properties that it was made or last changed with, intrinsics resolved. */
  readonly properties: Readonly<Record<string, unknown>>;
};

export type StackEvent = {
  readonly StackId: string;
  readonly StackName: string;
  readonly EventId: string;
  readonly LogicalResourceId: string;
  readonly PhysicalResourceId: string;
  readonly ResourceType: string;
  readonly ResourceStatus: string;
  readonly ResourceStatusReason?: string | undefined;
  readonly Timestamp: string;
};

/** The difference that one resource of a change set makes, in the words of DescribeChangeSet. */
export type ResourceChange = {
  readonly Action: 'Add' | 'Modify' | 'Remove';
  readonly LogicalResourceId: string;
  readonly PhysicalResourceId?: string | undefined;
  readonly ResourceType: string;
  readonly Replacement?: 'True' | 'Conditional' | 'False' | undefined;
  readonly Scope?: readonly string[];
  readonly Details?: readonly {
    readonly Target: {
      readonly Attribute: string;
      readonly Name: string;
      readonly RequiresRecreation: 'Always' | 'Conditionally' | 'Never';
    };
    readonly Evaluation: 'Static' | 'Dynamic';
    readonly ChangeSource: string;
  }[];
};

export type ChangeSet = {
  readonly name: string;
  readonly id: string;
  readonly templateBody: string;
  readonly template: Template;
  readonly parameters: Readonly<Record<string, string>>;
  /** The same with what they refer to in Systems Manager. */
  readonly resolvedParameters: Readonly<Record<string, string>>;
  readonly tags: readonly Tag[];
  readonly changes: readonly ResourceChange[];
  readonly createdAt: string;
};

export type Tag = { readonly Key: string; readonly Value: string };

/** A stack as CloudFormation keeps it. */
export type StackRecord = {
  readonly name: string;
  readonly id: string;
  readonly createdAt: string;
  status: string;
  statusReason?: string | undefined;
  templateBody: string;
  template: Template;
  parameters: Readonly<Record<string, string>>;
  resolvedParameters: Readonly<Record<string, string>>;
  tags: readonly Tag[];
  resources: Map<string, DeployedResource>;
  terminationProtection: boolean;
  /** The role in which the last change set is carried out; without one, whoever asked for it may do everything. */
  roleArn?: string | undefined;
  policy?: string | undefined;
  readonly changeSets: Map<string, ChangeSet>;
  readonly events: StackEvent[];
};
