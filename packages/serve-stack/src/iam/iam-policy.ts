import { requireKnown } from '../errors/require-known.ts';
import { UserFacingError } from '../errors/user-facing-error.ts';
import { type Conditions, compileConditions, type RequestFacts } from './policy-conditions.ts';
import { type Caller, everybody, type IsMeant } from './policy-principals.ts';
import { wildcardPattern } from './wildcard-pattern.ts';

/** Holds a policy document as it stands in the template, its intrinsics resolved. */
export type PolicyDocument = { readonly Statement: Statement | readonly Statement[] } & Readonly<
  Record<string, unknown>
>;

type Statement = {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
  readonly Principal?: unknown;
  readonly Condition?: Conditions;
} & Readonly<Record<string, unknown>>;

export type PolicyRequest = {
  readonly action: string;
  readonly resource: string;
  /** Whoever asks, where a resource's policy decides. */
  readonly caller?: Caller;
} & RequestFacts;

/** An explicit deny wins over every allow; what nothing allows is denied implicitly. */
export type Decision = 'allow' | 'explicit deny' | 'implicit deny';

const documentElements = ['Version', 'Id', 'Statement'];
const statementElements = ['Sid', 'Effect', 'Action', 'Resource', 'Principal', 'Condition'];

/** Makes the decision of policies that apply together; an element that the local run does not know is an error here. */
export const compilePolicies = (
  documents: readonly PolicyDocument[],
  compilePrincipal: (principal: unknown, effect: string) => IsMeant = everybody,
): ((request: PolicyRequest) => Decision) => {
  const statements = documents
    .flatMap(statementsOf)
    .map((statement) => compileStatement(statement, compilePrincipal(statement.Principal, statement.Effect)));
  return (request) => {
    const effects = new Set(statements.filter(({ matches }) => matches(request)).map(({ effect }) => effect));
    if (effects.has('Deny')) return 'explicit deny';
    return effects.has('Allow') ? 'allow' : 'implicit deny';
  };
};

/** Lists the statements of a policy document. */
export const statementsOf = (document: PolicyDocument): readonly Statement[] => {
  requireKnown('policy element', Object.keys(document), documentElements);
  return arrayOf(document.Statement);
};

const compileStatement = (statement: Statement, isMeant: IsMeant) => {
  requireKnown('policy statement element', Object.keys(statement), statementElements);
  requireKnown('policy effect', [statement.Effect], ['Allow', 'Deny']);
  const actions = arrayOf(statement.Action).map((pattern) => wildcardPattern(pattern, 'i'));
  const resources = arrayOf(statement.Resource).map((pattern) => wildcardPattern(pattern));
  requireNoVariables([...arrayOf(statement.Resource), JSON.stringify(statement.Condition ?? {})]);
  const conditionsHold = compileConditions(statement.Condition ?? {});
  return {
    effect: statement.Effect,
    matches: (request: PolicyRequest) =>
      isMeant(request.caller) &&
      actions.some((pattern) => pattern.test(request.action)) &&
      resources.some((pattern) => pattern.test(request.resource)) &&
      conditionsHold(request),
  };
};

const requireNoVariables = (texts: readonly string[]) => {
  const [variable] = /\$\{[^}]*\}/.exec(texts.join()) ?? [];
  if (variable !== undefined) throw new UserFacingError(`The local run does not know the policy variable ${variable}.`);
};

const arrayOf = <T>(value: T | readonly T[]): readonly T[] => (Array.isArray(value) ? value : [value as T]);
