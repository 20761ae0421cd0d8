// If this module is missing, run `npm run generate`: it is not in git.
import type { operations } from './generated/types.ts';

export type OperationId = keyof operations;

type ParametersOf<Id extends OperationId> = operations[Id]['parameters'];

/** The operations that act for the company itself and for no owner. */
export type CompanyOperationId = {
  [Id in OperationId]: ParametersOf<Id> extends { header: { 'x-user-id': string } } ? never : Id;
}[OperationId];

/** A part of a request: required if one of its own parts is, absent if it has none. */
type Section<Name extends string, Content> = [keyof Content] extends [never]
  ? unknown
  : Record<never, never> extends Content
    ? { readonly [Key in Name]?: Content }
    : { readonly [Key in Name]: Content };

type Given<Content> = [NonNullable<Content>] extends [never] ? unknown : NonNullable<Content>;

/** The request of an operation. Each part is required exactly if the API document requires it; the client adds key and user id. */
export type RequestOf<Id extends OperationId> = Section<'path', Given<ParametersOf<Id>['path']>> &
  Section<'query', Given<ParametersOf<Id>['query']>> &
  Section<'headers', Omit<Given<ParametersOf<Id>['header']>, 'x-user-id'>> &
  (operations[Id] extends { requestBody: { content: { 'application/json': infer Body } } }
    ? { readonly body: Body }
    : unknown);

type ProblemContent<Problem = unknown> = { content: { 'application/problem+json': Problem } };

type ResponsesOf<Id extends OperationId> = operations[Id]['responses'];

type StatusOf<Id extends OperationId> = keyof ResponsesOf<Id> & number;

export type SuccessStatusOf<Id extends OperationId> = {
  [Status in StatusOf<Id>]: ResponsesOf<Id>[Status] extends ProblemContent ? never : Status;
}[StatusOf<Id>];

type SuccessOf<Id extends OperationId> = ResponsesOf<Id>[SuccessStatusOf<Id>];

export type BodyOf<Id extends OperationId> =
  SuccessOf<Id> extends { content: { 'application/json': infer Body } } ? Body : undefined;

/** The headers of a success, by lower-case name. */
export type HeadersOf<Id extends OperationId> =
  SuccessOf<Id> extends { headers: infer Headers }
    ? { readonly [Name in keyof Headers as string extends Name ? never : Lowercase<Name & string>]: string }
    : never;

/** Every problem that the API document has for an operation; `code` tells them apart. */
export type DocumentedProblem<Id extends OperationId> = {
  [Status in StatusOf<Id>]: ResponsesOf<Id>[Status] extends ProblemContent<infer Problem> ? Problem : never;
}[StatusOf<Id>];
