import { isIP } from 'node:net';
import * as z from 'zod';
import { compileAllowlist, policyLength } from '../../config/allowlist.ts';
import { type Company as ConfiguredCompany, isInStore } from '../../config/schema.ts';
import type { Company } from '../../lambdas/domain/company.ts';
import type { OperatorContext } from '../cli/context.ts';
import { type Connection, unreadablePolicy } from '../connection/connection.ts';
import { OperatorError } from '../error.ts';
import { readOnboarded, registeredCidrs } from './admission.ts';
import { registrationOf } from './registration.ts';

/** The places that say from where the companies may call. */
export type AddressLists = {
  /** As the configuration lists them; those of the store itself, if that has the registrations. */
  readonly companies: readonly ConfiguredCompany[];
  /** What a deployment of the configuration would allow at the edge. */
  readonly compiledCidrs: readonly string[];
  /** What the deployed policy allows: all that there is, where it leaves addresses to AWS WAF. */
  readonly deployedCidrs: readonly string[];
  /** What AWS WAF admits; undefined where the stage has no IP sets. */
  readonly admittedCidrs?: readonly string[] | undefined;
  /** What it is to admit. */
  readonly registeredCidrs: readonly string[];
  readonly onboarded: readonly Company[];
  /** Those of them that have left: their contracts have ended. */
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

/** Whether AWS WAF decides which addresses reach the stage, and the operator's program what AWS WAF decides. */
export const isLeftToWaf = ({ deployedCidrs }: Pick<AddressLists, 'deployedCidrs'>): boolean =>
  deployedCidrs.includes(everybody[0]);

const everybody = ['0.0.0.0/0', '::/0'] as const;

export type DeployedPolicy = {
  /** Address blocks that pass the edge, each as `address/prefix length`. */
  readonly allowedCidrs: readonly string[];
  readonly lengthCharacters: number;
};

/** A list as the stack writes it, or as API Gateway may give it back: one value stands for a list of one. */
const listOf = <Item extends z.ZodType>(item: Item) =>
  z.union([z.array(item), item.transform((one): z.output<Item>[] => [one])]);

/** Anybody's call of anything of this API. */
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

/** Of a stage that leaves addresses to AWS WAF. */
const allAddresses = z.strictObject({ Effect: z.literal('Allow'), ...invocation });

const plainHttp = z.strictObject({
  Effect: z.literal('Deny'),
  ...invocation,
  Condition: z.strictObject({ Bool: z.strictObject({ 'aws:SecureTransport': listOf(z.literal('false')) }) }),
});

const document = z.object({ Statement: listOf(z.unknown()) });

/** Knows the statements that the stack writes and no others: what it does not know could let in or shut out anybody. */
export const readDeployedPolicy = async ({ readPolicy, stackName, ipSets }: Connection): Promise<DeployedPolicy> => {
  const policy = await readPolicy();
  if (policy === undefined) throw open(stackName, 'has no resource policy');
  const { data } = document.safeParse(policy);
  if (!data) throw unreadablePolicy(`it has no "Statement": ${JSON.stringify(policy)}`);
  const statements = [data.Statement].flat();
  const allowedCidrs = statements.flatMap((statement, index) => cidrsOf(statement, index + 1));
  if (!ipSets && isLeftToWaf({ deployedCidrs: allowedCidrs }))
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
    throw unreadablePolicy(`its statement ${ordinal} is none that the stack writes: ${JSON.stringify(statement)}`);
  return data.Condition.IpAddress['aws:SourceIp'].map((block) => {
    const [address = '', prefixLength = isIP(address) === 4 ? '32' : '128'] = block.split('/');
    if (isIP(address) === 0 || !/^\d{1,3}$/.test(prefixLength))
      throw unreadablePolicy(`its statement ${ordinal} allows "${block}", which is no block of addresses`);
    return `${address}/${prefixLength}`;
  });
};
