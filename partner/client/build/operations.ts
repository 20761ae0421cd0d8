type Parameter = { readonly name: string; readonly required: boolean };
type Response = { readonly $ref?: string; readonly content?: Readonly<Record<string, { readonly examples?: object }>> };
type Operation = {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, Response>>;
};

/** The paths of an API document: operations by path and method. */
export type WithPaths<Operation> = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};

/** The known measurements of an API document, by their names. */
export type WithMeasurements = {
  readonly 'x-measurements': Readonly<Record<string, { readonly unit: string | null; readonly description: string }>>;
};

/** The parts of the API document that the clients read, without the types. */
export type OperationsDocument = WithPaths<Operation> &
  WithMeasurements & {
    readonly components: {
      readonly responses: Readonly<Record<string, Response>>;
      readonly schemas: Readonly<
        Record<'HeatingCircuitUpdate' | 'DhwCircuitUpdate', { readonly properties: object }>
      > & {
        readonly KnownFeedEvent: { readonly discriminator: { readonly mapping: object } };
      };
    };
  };

export const operationsIn = <Operation>({ paths }: WithPaths<Operation>) =>
  Object.entries(paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );

/** Returns the event types of the feed. */
export const eventTypes = ({ components }: OperationsDocument): string[] =>
  Object.keys(components.schemas.KnownFeedEvent.discriminator.mapping);

/** Returns the names of the settings that a change of a circuit can set: all properties but `validUntil`, which is about the change. */
export const circuitSettings = ({ components: { schemas } }: OperationsDocument): string[] => [
  ...new Set(
    [schemas.HeatingCircuitUpdate, schemas.DhwCircuitUpdate]
      .flatMap(({ properties }) => Object.keys(properties))
      .filter((name) => name !== 'validUntil'),
  ),
];

/** Returns the names of the known measurements, each with its unit and a sentence about it. */
export const knownMeasurements = ({ 'x-measurements': known = {} }: WithMeasurements) =>
  Object.entries(known).map(([name, { unit, description }]) => ({ name, unit, description }));

/** Returns the data that a client needs at run time, by operation id. */
export const runtimeOperations = (document: OperationsDocument) =>
  Object.fromEntries(
    operationsIn(document).map(({ method, path, operation: { operationId, parameters, responses } }) => [
      operationId,
      {
        method,
        path,
        takesUserId: parameters?.some(({ name }) => name === 'x-user-id') ?? false,
        needsUserId: parameters?.some(({ name, required }) => name === 'x-user-id' && required) ?? false,
        successStatus: Number(Object.keys(responses).find(isSuccess)),
        problemCodes: Object.values(responses).flatMap((response) => problemCodesOf(response, document.components)),
      },
    ]),
  );

export const isSuccess = (status: string): boolean => status.startsWith('2');

/** Returns the problem codes of a response: the document has an example for each. */
const problemCodesOf = ({ $ref }: Response, { responses }: OperationsDocument['components']): string[] => {
  if ($ref === undefined) return [];
  const content = responses[$ref.replace('#/components/responses/', '')]?.content;
  return Object.keys(content?.['application/problem+json']?.examples ?? {});
};
