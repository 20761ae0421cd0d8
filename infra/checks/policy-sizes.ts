import type { Template } from '../assembly.ts';
import { type Check, type Fault, listOf, resourcesOf, type StackPlace } from './check.ts';
import { longestForm, UnknownReference } from './reference-lengths.ts';

/**
 * The quotas of IAM, SQS and EventBridge that every account has, in characters without white space, and as numbers of policies
 * and principals.
 */
const policyQuotas = {
  inlineOfRole: 10_240,
  managed: 6144,
  attachedToRole: 10,
  trust: 2048,
  queue: 8192,
  principalsOfQueue: 50,
  bus: 10_240,
} as const;

/** Finds policies that are longer, or have more principals, than the service accepts, and roles with too many policies. */
export const checkPolicySizes: Check = (template, place) => {
  try {
    return [
      ...faultsOfRoles(template, place),
      ...faultsOfManagedPolicies(template, place),
      ...faultsOfTrust(template, place),
      ...faultsOfQueuePolicies(template, place),
      ...faultsOfBusPolicies(template, place),
    ];
  } catch (error) {
    if (!(error instanceof UnknownReference)) throw error;
    const sentence = `A policy of the template refers to ${error.message}, whose length is unknown; add the length to infra/checks/reference-lengths.ts.`;
    return [{ sentence }];
  }
};

const faultsOfRoles = (template: Template, place: StackPlace): Fault[] =>
  resourcesOf(template, 'AWS::IAM::Role').flatMap(({ logicalId, properties }) => {
    const documents = [...listOf<Inline>(properties.Policies), ...inlinePoliciesOf(template, logicalId)];
    const characters = documents.reduce((sum, each) => sum + policyLength(each.PolicyDocument, template, place), 0);
    const attached = listOf(properties.ManagedPolicyArns).length;
    const sentences = [
      ...(characters > policyQuotas.inlineOfRole
        ? [
            `has inline policies of ${characters} characters, and the quota of IAM is ${policyQuotas.inlineOfRole}; ${shorten}`,
          ]
        : []),
      ...(attached > policyQuotas.attachedToRole
        ? [
            `has ${attached} managed policies, and the quota of IAM is ${policyQuotas.attachedToRole} for a role; merge several of them.`,
          ]
        : []),
    ];
    return sentences.map((sentence) => ({ logicalId, sentence }));
  });

type Inline = { readonly PolicyDocument: object };

/** Returns the inline policies of a role that are separate resources of the template. */
const inlinePoliciesOf = (template: Template, role: string): Inline[] =>
  resourcesOf(template, 'AWS::IAM::Policy')
    .filter(({ properties }) => listOf<{ Ref?: string }>(properties.Roles).some(({ Ref }) => Ref === role))
    .map(({ properties }) => properties as unknown as Inline);

const faultsOfManagedPolicies = (template: Template, place: StackPlace): Fault[] =>
  resourcesOf(template, 'AWS::IAM::ManagedPolicy').flatMap(({ logicalId, properties }) => {
    const characters = policyLength(properties.PolicyDocument, template, place);
    if (characters <= policyQuotas.managed) return [];
    const sentence = `has ${characters} characters, and the quota of IAM for a managed policy is ${policyQuotas.managed}; ${shorten}`;
    return [{ logicalId, sentence }];
  });

const faultsOfTrust = (template: Template, place: StackPlace): Fault[] =>
  resourcesOf(template, 'AWS::IAM::Role').flatMap(({ logicalId, properties }) => {
    const characters = policyLength(properties.AssumeRolePolicyDocument, template, place);
    if (characters <= policyQuotas.trust) return [];
    const sentence = `has a trust policy of ${characters} characters, and the quota of IAM is ${policyQuotas.trust}; list fewer principals under operators in the configuration, for example one permission set of IAM Identity Center instead of users.`;
    return [{ logicalId, sentence }];
  });

const faultsOfQueuePolicies = (template: Template, place: StackPlace): Fault[] =>
  resourcesOf(template, 'AWS::SQS::QueuePolicy').flatMap(({ logicalId, properties }) => {
    const characters = policyLength(properties.PolicyDocument, template, place);
    const principals = principalsIn(properties.PolicyDocument);
    const { queue, principalsOfQueue } = policyQuotas;
    const excess = [
      ...(principals > principalsOfQueue
        ? [`${principals} principals, and the quota of SQS is ${principalsOfQueue}`]
        : []),
      ...(characters > queue ? [`${characters} characters, and the quota of SQS is ${queue}`] : []),
    ];
    return excess.map((each) => ({ logicalId, sentence: `has ${each}; ${listFewer('gatewayBackendPrincipals')}` }));
  });

type Principals = {
  readonly Statement: readonly { readonly Principal?: string | Readonly<Record<string, unknown>> }[];
};

/** Returns the number of principals of a policy. The principal of everybody counts as one. */
const principalsIn = ({ Statement }: Principals): number =>
  Statement.flatMap(({ Principal = [] }) =>
    typeof Principal === 'string' ? Principal : Object.values(Principal).flat(),
  ).length;

/** EventBridge makes one policy of all statements of a bus. */
const faultsOfBusPolicies = (template: Template, place: StackPlace): Fault[] => {
  const policies = resourcesOf(template, 'AWS::Events::EventBusPolicy');
  const ofBuses = Map.groupBy(policies, ({ properties }) => JSON.stringify(properties.EventBusName));
  return [...ofBuses.values()].flatMap((ofBus) => {
    const Statement = ofBus.map(({ properties }) => ({ Sid: properties.StatementId, ...properties.Statement }));
    const characters = policyLength({ Version: '2012-10-17', Statement }, template, place);
    if (characters <= policyQuotas.bus) return [];
    const sentence = `makes the policy of its bus ${characters} characters long, and the quota of EventBridge is ${policyQuotas.bus}; ${listFewer('portalPrincipals')}`;
    return ofBus.slice(-1).map(({ logicalId }) => ({ logicalId, sentence }));
  });
};

const listFewer = (entry: string) =>
  `list fewer principals under neighbours.${entry} in the configuration, for example an account (arn:aws:iam::<account>:root), which then decides itself which of its roles may do this.`;

const shorten =
  'gather resources that have the same actions in one statement, or move statements to a managed policy of their own.';

/** Returns the greatest number of characters that a policy can have once its references are resolved. */
export const policyLength = (document: object, template: Template, place: StackPlace): number =>
  JSON.stringify(longestForm(document, template, place)).replace(/\s/g, '').length;
