import { isIP } from 'node:net';
import * as z from 'zod';
import { compileAllowlist, policyLength } from '../../config/allowlist.ts';
import type { Company as ConfiguredCompany } from '../../config/company.ts';
import { isInStore } from '../../config/schema.ts';
import type { Company } from '../../lambdas/domain/company.ts';
import type { OperatorContext } from '../cli/context.ts';
import { type Connection, unreadablePolicy } from '../connection/connection.ts';
import { OperatorError } from '../error.ts';
import { readOnboarded, registeredCidrs } from './admission.ts';
import { registrationOf } from './registration.ts';

/** The lists that determine from which addresses the companies may call. */
export type AddressLists = {
  /** The companies of the configuration, or of the store if it has the registrations. */
  readonly companies: readonly ConfiguredCompany[];
  /** The blocks that a deployment of the configuration would allow at the edge. */
  readonly compiledCidrs: readonly string[];
  /** The blocks that the deployed policy allows: all addresses if it leaves the decision to AWS WAF. */
  readonly deployedCidrs: readonly string[];
  /** The blocks that AWS WAF admits; undefined if the stage has no IP sets. */
  readonly admittedCidrs?: readonly string[] | undefined;
  /** The blocks that AWS WAF should admit. */
  readonly registeredCidrs: readonly string[];
  readonly onboarded: readonly Company[];
  /** The ids of the onboarded companies whose contracts have all ended. */
  readonly leftIds: ReadonlySet<string>;
};

export const readAddressLists = async ({ config, connect }: OperatorContext): Promise<AddressLists> => {
  const connection = await connect();
  const [{ allowedCidrs }, admittedCidrs, { onboarded, leftIds }] = await Promise.all([
    readDeployedPolicy(connection),
    connection.ipSets?.read(),
    readOnboarded(connection.store),
  ]);
  const companies = isInStore(config) ? onboarded.map(registrationOf) : config.companies;
  return {
    companies,
    compiledCidrs: compileAllowlist(companies),
    deployedCidrs: allowedCidrs,
    admittedCidrs,
    registeredCidrs: registeredCidrs({ onboarded, leftIds }, config),
    onboarded,
    leftIds,
  };
};

/** Whether AWS WAF checks addresses, with IP sets that the operator CLI writes, instead of the resource policy. */
export const isAdmittedByWaf = ({ deployedCidrs }: Pick<AddressLists, 'deployedCidrs'>): boolean =>
  deployedCidrs.includes(everybody[0]);

const everybody = ['0.0.0.0/0', '::/0'] as const;

type DeployedPolicy = {
  /** The address blocks that the policy allows, each as `address/prefix length`. */
  readonly allowedCidrs: readonly string[];
  readonly lengthCharacters: number;
};

/** A list as the stack writes it, or a single value: API Gateway may return a list of one item as that item. */
const listOf = <Item extends z.ZodType>(item: Item) =>
  z.union([z.array(item), item.transform((one): z.output<Item>[] => [one])]);

/** Any call of any operation of this API by any principal. */
const invocation = {
  Sid: z.string().optional(),
  Principal: z.union([z.literal('*'), z.strictObject({ AWS: listOf(z.literal('*')) })]),
  Action: listOf(z.literal('execute-api:Invoke')),
  Resource: listOf(z.string().regex(/^(execute-api:|arn:[\w-]+:execute-api:[\w-]+:\d{12}:\w+)\/\*$/)),
};

const registeredAddresses = z.strictObject({
  Effect: z.literal('Allow'),
  ...invocation,
  Condition: z.strictObject({ IpAddress: z.strictObject({ 'aws:SourceIp': listOf(z.string()) }) }),
});

/** The statement of a stage in which AWS WAF checks the addresses. */
const allAddresses = z.strictObject({ Effect: z.literal('Allow'), ...invocation });

const plainHttp = z.strictObject({
  Effect: z.literal('Deny'),
  ...invocation,
  Condition: z.strictObject({ Bool: z.strictObject({ 'aws:SecureTransport': listOf(z.literal('false')) }) }),
});

const document = z.object({ Statement: listOf(z.unknown()) });

/** Throws for any statement that the stack does not write: an unknown statement could admit or refuse any address. */
export const readDeployedPolicy = async ({ readPolicy, stackName, ipSets }: Connection): Promise<DeployedPolicy> => {
  const policy = await readPolicy();
  if (policy === undefined) throw open(stackName, 'has no resource policy');
  const { data } = document.safeParse(policy);
  if (!data) throw unreadablePolicy(`it has no "Statement": ${JSON.stringify(policy)}`);
  const statements = [data.Statement].flat();
  const allowedCidrs = statements.flatMap((statement, index) => cidrsOf(statement, index + 1));
  if (!ipSets && isAdmittedByWaf({ deployedCidrs: allowedCidrs }))
    throw open(stackName, 'has a policy without addresses, and no IP sets of AWS WAF');
  return {
    allowedCidrs,
    lengthCharacters: policyLength(policy as object),
  };
};

const open = (stackName: string, what: string) =>
  new OperatorError('error', `The API of ${stackName} ${what}: every address passes the edge. Deploy the stage.`);

const cidrsOf = (statement: unknown, ordinal: number): string[] => {
  if (plainHttp.safeParse(statement).success) return [];
  if (allAddresses.safeParse(statement).success) return [...everybody];
  const { data } = registeredAddresses.safeParse(statement);
  if (!data)
    throw unreadablePolicy(`its statement ${ordinal} is not one that the stack writes: ${JSON.stringify(statement)}`);
  return data.Condition.IpAddress['aws:SourceIp'].map((block) => {
    const [address = '', prefixLength = isIP(address) === 4 ? '32' : '128'] = block.split('/');
    if (isIP(address) === 0 || !/^\d{1,3}$/.test(prefixLength))
      throw unreadablePolicy(`its statement ${ordinal} allows "${block}", which is not an address block`);
    return `${address}/${prefixLength}`;
  });
};
