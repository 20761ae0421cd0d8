type Parameter = { readonly name: string; readonly required: boolean };
type Response = { readonly $ref?: string; readonly content?: Readonly<Record<string, { readonly examples?: object }>> };
type Operation = {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, Response>>;
};

/** What the clients read of the API document, the types aside. */
export type OperationsDocument = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly responses: Readonly<Record<string, Response>>;
    readonly schemas: { readonly KnownFeedEvent: { readonly discriminator: { readonly mapping: object } } };
  };
};

/** The types of events that the feed has. */
export const eventTypes = ({ components }: OperationsDocument): string[] =>
  Object.keys(components.schemas.KnownFeedEvent.discriminator.mapping);

/** What a client needs of each operation when it runs. */
export const runtimeOperations = ({ paths, components }: OperationsDocument) =>
  Object.fromEntries(
    Object.entries(paths).flatMap(([path, byMethod]) =>
      Object.entries(byMethod).map(([method, operation]) => [
        operation.operationId,
        {
          method: method.toUpperCase(),
          path,
          takesUserId: operation.parameters?.some(({ name }) => name === 'x-user-id') ?? false,
          needsUserId: operation.parameters?.some(({ name, required }) => name === 'x-user-id' && required) ?? false,
          successStatus: Number(Object.keys(operation.responses).find(isSuccess)),
          problemCodes: Object.values(operation.responses).flatMap((response) => problemCodesOf(response, components)),
        },
      ]),
    ),
  );

export const isSuccess = (status: string): boolean => status.startsWith('2');

/** The codes of the problems that a response can be: it has an example of each. */
const problemCodesOf = ({ $ref }: Response, { responses }: OperationsDocument['components']): string[] => {
  if ($ref === undefined) return [];
  const content = responses[$ref.replace('#/components/responses/', '')]?.content;
  return Object.keys(content?.['application/problem+json']?.examples ?? {});
};
