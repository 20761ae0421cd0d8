import { BlockList, isIP } from 'node:net';
import { UserFacingError } from '../errors/user-facing-error.ts';
import { wildcardPattern } from './wildcard-pattern.ts';

/** The condition block of a policy statement: operator → condition key → one value or several. */
export type Conditions = Readonly<Record<string, Readonly<Record<string, Value | readonly Value[]>>>>;
type Value = string | boolean;

/** Holds what is known of a request beyond action and resource. */
export type RequestFacts = {
  readonly sourceIp?: string;
  readonly secureTransport?: boolean;
  /** The transaction that an access to a table is part of: `TransactWriteItems`. */
  readonly enclosingOperation?: string;
  /** The top-level attributes of items that the access names. */
  readonly attributes?: readonly string[];
  /** The resource in whose name a service of AWS asks. */
  readonly sourceArn?: string;
  /** The event that is put on a bus. */
  readonly event?: { readonly source: string; readonly detailType: string };
  /** What IAM knows of a request to itself, by condition key in small letters. */
  readonly iam?: Readonly<Record<string, string>>;
};

type Test = (request: RequestFacts) => boolean;

/** Every operator and every key of it has to hold; among the values of a key, one is enough. */
export const compileConditions = (conditions: Conditions): Test => {
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

/** A list for each family: in a common one, Node.js would find every IPv4 address within `::/0`. */
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
  (factOf: (request: RequestFacts) => string | undefined) =>
  (values: readonly Value[]): Test =>
  (request) => {
    const fact = factOf(request);
    return fact !== undefined && values.includes(fact);
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
  // Holds, as all with ForAllValues, for an access that names none.
  'ForAllValues:StringEquals dynamodb:attributes':
    (allowed) =>
    ({ attributes = [] }) =>
      attributes.every((attribute) => allowed.includes(attribute)),
};

/** An address without a prefix length is a block of one. */
const addNetwork = (networks: Readonly<Record<'ipv4' | 'ipv6', BlockList>>, block: string) => {
  const [address = '', prefixLength] = block.split('/');
  if (isIP(address) === 0) throw new UserFacingError(`The policy's ${JSON.stringify(block)} is no CIDR block.`);
  const family = familyOf(address);
  if (prefixLength === undefined) networks[family].addAddress(address, family);
  else networks[family].addSubnet(address, Number(prefixLength), family);
};

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');
