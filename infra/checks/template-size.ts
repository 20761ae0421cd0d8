import type { Check } from './check.ts';

const maximumBytes = 1_000_000;

/** Finds a template that is too large to be deployed, in the form in which CDK writes it. */
export const checkTemplateSize: Check = (template) => {
  const bytes = Buffer.byteLength(JSON.stringify(template, undefined, 1));
  if (bytes <= maximumBytes) return [];
  return [
    {
      sentence: `The template has ${bytes} bytes, and CloudFormation takes ${maximumBytes}; move a part of it into a stack of its own.`,
    },
  ];
};
