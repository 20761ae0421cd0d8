import type { Template } from '../template.ts';
import { longestForm, UnknownReference } from './reference-lengths.ts';
import { type Check, type Fault, listOf, resourcesOf, type StackPlace } from './template.ts';

/**
 * IAM's fixed quotas, in characters without white space, and the number of policies that every account may attach to a role.
 */
const policyQuotas = { inlineOfRole: 10_240, managed: 6144, attachedToRole: 10 } as const;

/**
 * Finds roles whose inline policies are longer, or whose attached policies are more, than IAM allows, and managed policies that
 * are too long.
 */
export const checkPolicySizes: Check = (template, place) => {
  try {
    return [...faultsOfRoles(template, place), ...faultsOfManagedPolicies(template, place)];
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

const shorten =
  'gather resources that have the same actions in one statement, or move statements to a managed policy of their own.';

/** Returns the greatest number of characters that a policy can have once its references are resolved. */
export const policyLength = (document: object, template: Template, place: StackPlace): number =>
  JSON.stringify(longestForm(document, template, place)).replace(/\s/g, '').length;
