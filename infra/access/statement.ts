/** A statement of a policy; it allows unless it says otherwise. */
export type Statement = {
  readonly effect?: 'Deny';
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly conditions?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
};

/** A policy document as IAM takes it. Statements that differ in nothing but their actions become one. */
export const policyDocumentOf = (statements: readonly Statement[]) => ({
  Version: '2012-10-17',
  Statement: [...Map.groupBy(statements, withoutActions).values()].map((alike) => {
    const [{ effect = 'Allow', resources, conditions }] = alike as [Statement];
    return {
      Effect: effect,
      Action: [...new Set(alike.flatMap(({ actions }) => actions))].sort(),
      Resource: [...resources],
      ...(conditions && { Condition: conditions }),
    };
  }),
});

const withoutActions = ({ actions: _, ...rest }: Statement): string => JSON.stringify(rest);
