import { BlockList, isIP } from 'node:net';
import { ExplainedError } from './explained-error.ts';

/** The condition block of a policy statement: operator → condition key → one value or several. */
export type Conditions = Readonly<Record<string, Readonly<Record<string, Value | readonly Value[]>>>>;
type Value = string | boolean;

/** What is known of a request beyond action and resource. */
export type RequestFacts = { readonly sourceIp?: string; readonly secureTransport?: boolean };

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
  throw new ExplainedError(`The local run does not know the policy operator ${operator} on the condition key ${key}.`);
};

const isFromOneOf = (blocks: readonly Value[]): Test => {
  const networks = new BlockList();
  for (const block of blocks) addNetwork(networks, String(block));
  return ({ sourceIp }) => sourceIp !== undefined && networks.check(sourceIp, familyOf(sourceIp));
};

const operators: Readonly<Record<string, (values: readonly Value[]) => Test>> = {
  'IpAddress aws:sourceip': isFromOneOf,
  'NotIpAddress aws:sourceip': (blocks) => {
    const isFrom = isFromOneOf(blocks);
    return (request) => !isFrom(request);
  },
  'Bool aws:securetransport':
    (values) =>
    ({ secureTransport }) =>
      values.some((value) => String(value) === String(secureTransport)),
};

/** An address without a prefix length is a block of one. */
const addNetwork = (networks: BlockList, block: string) => {
  const [address = '', prefixLength] = block.split('/');
  if (isIP(address) === 0) throw new ExplainedError(`The policy's ${JSON.stringify(block)} is no CIDR block.`);
  if (prefixLength === undefined) networks.addAddress(address, familyOf(address));
  else networks.addSubnet(address, Number(prefixLength), familyOf(address));
};

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');
