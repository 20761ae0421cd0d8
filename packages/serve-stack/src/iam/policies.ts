import { BlockList, isIP } from 'node:net';
import { requireKnown, UserFacingError } from '../errors.ts';

/** A policy document of the template, with intrinsic functions resolved. */
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
  /** The caller, if a resource's policy decides. */
  readonly caller?: Caller;
} & RequestAttributes;

/** An explicit deny takes precedence over every allow. A request that nothing allows is denied implicitly. */
export type Decision = 'allow' | 'explicit deny' | 'implicit deny';

const documentElements = ['Version', 'Id', 'Statement'];
const statementElements = ['Sid', 'Effect', 'Action', 'Resource', 'Principal', 'Condition'];

/** Returns the decision of policies that apply together. Throws for an element that the local run does not know. */
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

/** Returns the statements of a policy document. */
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

/** The condition block of a policy statement: operator → condition key → one value or several. */
type Conditions = Readonly<Record<string, Readonly<Record<string, Value | readonly Value[]>>>>;
type Value = string | boolean;

/** The attributes of a request beyond action and resource. */
type RequestAttributes = {
  readonly sourceIp?: string;
  readonly secureTransport?: boolean;
  /** The transaction that an access to a table is part of: `TransactWriteItems`. */
  readonly enclosingOperation?: string;
  /** The top-level attributes of items that the access names. */
  readonly attributes?: readonly string[];
  /** The resource on whose behalf an AWS service sends the request. */
  readonly sourceArn?: string;
  /** The event that is put on a bus. */
  readonly event?: { readonly source: string; readonly detailType: string };
  /** The condition keys of a request to IAM, in lowercase. */
  readonly iam?: Readonly<Record<string, string>>;
};

type Test = (request: RequestAttributes) => boolean;

/** Returns a test in which every operator and every key has to hold; one matching value of a key is enough. */
const compileConditions = (conditions: Conditions): Test => {
  const tests = Object.entries(conditions).flatMap(([operator, keys]) =>
    Object.entries(keys).map(([key, values]) => compileCondition(operator, key, [values].flat() as Value[])),
  );
  return (request) => tests.every((holds) => holds(request));
};

const compileCondition = (operator: string, key: string, values: readonly Value[]): Test => {
  const compile = operators[`${operator} ${key.toLowerCase()}`];
  if (compile) return compile(values);
  throw new UserFacingError(`The local run does not know the policy operator ${operator} on the condition key ${key}.`);
};

/** Uses one list per family: in a common list, Node.js would find every IPv4 address within `::/0`. */
const isFromOneOf = (blocks: readonly Value[]): Test => {
  const networks = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const block of blocks) addNetwork(networks, String(block));
  return ({ sourceIp }) => sourceIp !== undefined && networks[familyOf(sourceIp)].check(sourceIp, familyOf(sourceIp));
};

const isEqualInIam =
  (key: string) =>
  (values: readonly Value[]): Test =>
  ({ iam }) =>
    iam?.[key] !== undefined && values.includes(iam[key]);

const isEqual =
  (attributeOf: (request: RequestAttributes) => string | undefined) =>
  (values: readonly Value[]): Test =>
  (request) => {
    const value = attributeOf(request);
    return value !== undefined && values.includes(value);
  };

const isSourceArnLike = (patterns: readonly Value[]): Test => {
  const expressions = patterns.map((pattern) => wildcardPattern(String(pattern)));
  return ({ sourceArn }) => sourceArn !== undefined && expressions.some((expression) => expression.test(sourceArn));
};

const operators: Readonly<Record<string, (values: readonly Value[]) => Test>> = {
  'IpAddress aws:sourceip': isFromOneOf,
  'NotIpAddress aws:sourceip': (blocks) => {
    const isFrom = isFromOneOf(blocks);
    return (request) => !isFrom(request);
  },
  'ArnEquals aws:sourcearn': isSourceArnLike,
  'ArnLike aws:sourcearn': isSourceArnLike,
  'StringEquals aws:sourceaccount': isEqual(({ sourceArn }) => sourceArn?.split(':')[4]),
  'StringEquals events:detail-type': isEqual(({ event }) => event?.detailType),
  'StringEquals events:source': isEqual(({ event }) => event?.source),
  'StringEquals iam:awsservicename': isEqualInIam('iam:awsservicename'),
  'StringEquals iam:passedtoservice': isEqualInIam('iam:passedtoservice'),
  'ArnLike lambda:functionarn':
    (patterns) =>
    ({ iam }) =>
      patterns.some((pattern) => wildcardPattern(String(pattern)).test(iam?.['lambda:functionarn'] ?? '')),
  'StringEquals kms:keyspec': isEqualInIam('kms:keyspec'),
  'StringEquals iam:permissionsboundary': isEqualInIam('iam:permissionsboundary'),
  'Bool aws:securetransport':
    (values) =>
    ({ secureTransport }) =>
      values.some((value) => String(value) === String(secureTransport)),
  'ForAnyValue:StringEquals dynamodb:enclosingoperation':
    (operations) =>
    ({ enclosingOperation }) =>
      enclosingOperation !== undefined && operations.includes(enclosingOperation),
  // True, like every ForAllValues condition, for an access that names no attributes.
  'ForAllValues:StringEquals dynamodb:attributes':
    (allowed) =>
    ({ attributes = [] }) =>
      attributes.every((attribute) => allowed.includes(attribute)),
};

/** Adds a block. An address without a prefix length is a block of one address. */
const addNetwork = (networks: Readonly<Record<'ipv4' | 'ipv6', BlockList>>, block: string) => {
  const [address = '', prefixLength] = block.split('/');
  if (isIP(address) === 0) throw new UserFacingError(`The policy's ${JSON.stringify(block)} is no CIDR block.`);
  const family = familyOf(address);
  if (prefixLength === undefined) networks[family].addAddress(address, family);
  else networks[family].addSubnet(address, Number(prefixLength), family);
};

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** The caller of a resource with a policy: a principal by its ARN, or an AWS service by its name. */
type Caller = { readonly arn: string } | { readonly service: string };

/** Returns whether a statement applies to the caller. */
type IsMeant = (caller: Caller | undefined) => boolean;

/** Compiles the principals of a statement in an identity-based policy, or in a resource-based policy for everyone. */
const everybody = (principal: unknown): IsMeant => {
  requireKnown('policy principal', [JSON.stringify(principal ?? '*')], ['"*"', '{"AWS":"*"}']);
  return () => true;
};

/** Compiles the principals of a statement in the policy of a resource of the account. */
export const principalsFor =
  (accountId: string) =>
  (principal: unknown, effect: string): IsMeant => {
    const { aws, services } = principalsIn(principal);
    const tests = aws.map((name) => compileName(name, accountId, effect));
    return (caller) => {
      if (caller === undefined) return false;
      if ('service' in caller) return services.includes(caller.service);
      return tests.some((isMeant) => isMeant(caller.arn));
    };
  };

/** Returns the principals of a statement: ARNs, account numbers or `*`, and services. */
export const principalsIn = (principal: unknown): { readonly aws: string[]; readonly services: string[] } => {
  if (principal === '*') return { aws: ['*'], services: [] };
  if (typeof principal !== 'object' || principal === null)
    throw new UserFacingError(
      `A statement of a resource’s policy names no principal, but ${JSON.stringify(principal)}.`,
    );
  requireKnown('kind of policy principal', Object.keys(principal), ['AWS', 'Service']);
  const { AWS = [], Service = [] } = principal as Readonly<Record<string, string | string[]>>;
  return { aws: [AWS].flat(), services: [Service].flat() };
};

const compileName = (name: string, accountId: string, effect: string): ((arn: string) => boolean) => {
  if (name === '*') return () => true;
  const [, account] = /^(?:arn:[^:]+:iam::)?(\d{12})(?::root)?$/.exec(name) ?? [];
  if (account === undefined) return (arn) => arn === name || roleOf(arn) === name;
  // Allowing the own account delegates to the policies of its roles, which are evaluated anyway.
  if (account === accountId && effect === 'Allow') return () => false;
  return (arn) => accountOf(arn) === account;
};

/** `arn:aws:sts::1:assumed-role/reader/session` → `arn:aws:iam::1:role/reader` */
const roleOf = (arn: string): string => arn.replace(/:sts:(.*):assumed-role\/(.*)\/[^/]*$/, ':iam:$1:role/$2');

export const accountOf = (arn: string): string | undefined => arn.split(':')[4];

/** Compiles a pattern in which `*` matches any characters and `?` one. */
export const wildcardPattern = (pattern: string, flags = ''): RegExp => {
  const expression = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${expression}$`, `s${flags}`);
};
