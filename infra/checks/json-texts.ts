import { type Check, type Resource, resourcesOf } from './check.ts';
import { parseJson, textOf } from './text.ts';

type Properties = NonNullable<Resource['Properties']>;

/** Gives the texts that a service reads as JSON, by the type of the resource. Dashboards have a check of their own. */
const jsonTexts: Readonly<Record<string, (properties: Properties) => Readonly<Record<string, unknown>>>> = {
  'AWS::CloudWatch::InsightRule': ({ RuleBody }) => ({ RuleBody }),
};

/** Finds texts that a service would read as JSON, and that are no JSON. */
export const checkJsonTexts: Check = (template) =>
  resourcesOf(template, ...Object.keys(jsonTexts)).flatMap(({ logicalId, type, properties }) =>
    Object.entries(jsonTexts[type]?.(properties) ?? {})
      .filter(([, text]) => typeof parseJson(textOf(text) ?? '') !== 'object')
      .map(([name]) => ({ logicalId, sentence: `has a ${name} that is no JSON object; write one.` })),
  );
