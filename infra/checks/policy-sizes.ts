import { type Check, listOf, resourcesOf } from './check.ts';

/** Limits all inline policies of one role together, without white space. */
const maximumCharacters = 10_240;

/** Stands for the length of a reference, which AWS alone knows: the ARN of a table with an index is about as long. */
const referenceLength = 120;

/** Finds roles whose inline policies are, or may become, too long together. */
export const checkPolicySizes: Check = (template) =>
  resourcesOf(template, 'AWS::IAM::Role').flatMap(({ logicalId, properties }) => {
    const documents = listOf<{ readonly PolicyDocument: object }>(properties.Policies);
    const characters = documents.reduce((sum, { PolicyDocument }) => sum + lengthOf(PolicyDocument), 0);
    if (characters <= maximumCharacters) return [];
    const sentence = `has inline policies of about ${characters} characters, and IAM takes ${maximumCharacters}; gather resources that have the same actions in one statement, or make a managed policy of a part.`;
    return [{ logicalId, sentence }];
  });

/** What every account and region has no longer than this. */
const pseudoParameterLengths: Readonly<Record<string, number>> = {
  'AWS::AccountId': 12,
  'AWS::Partition': 'aws-us-gov'.length,
  'AWS::Region': 'ap-southeast-1'.length,
};

const lengthOf = (document: object): number =>
  JSON.stringify(document, (_, value) => (isReference(value) ? 'x'.repeat(lengthOfReference(value)) : value)).length;

type Reference = { readonly Ref?: string };

const lengthOfReference = ({ Ref = '' }: Reference): number => pseudoParameterLengths[Ref] ?? referenceLength;

const isReference = (value: unknown): value is Reference =>
  typeof value === 'object' && value !== null && ('Ref' in value || 'Fn::GetAtt' in value);
