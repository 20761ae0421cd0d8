import type { Given } from './expressions/operands.ts';
import { type Item, toItem } from './values.ts';

/** Refuses what a command says beyond what the store in memory heeds. */
export const refuseUnknown = (input: object, known: readonly string[]): void => {
  for (const [name, value] of Object.entries(input))
    if (value !== undefined && !known.includes(name))
      throw new Error(`The store in memory does not know the parameter ${name}. Teach it where the command is read.`);
};

type WithExpressions = {
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>> | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: as the document client types them.
  readonly ExpressionAttributeValues?: Readonly<Record<string, any>> | undefined;
};

export const expressionNames = ['ExpressionAttributeNames', 'ExpressionAttributeValues'];

export const givenBy = ({
  ExpressionAttributeNames: names = {},
  ExpressionAttributeValues: values = {},
}: WithExpressions): Given => ({ names, values: toItem(values) as Item });
