import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import * as z from 'zod';
import { cidrFault, unionOf } from './cidr.ts';
import { company } from './company.ts';
import { type StageConfig, stageConfig } from './schema.ts';
import { invalid } from './values.ts';

/**
 * Returns whether a stage is a trial, which the plain CDK creates and deletes with everything in it. Only the name decides, so
 * no entry of a configuration makes the tables of another stage disposable.
 */
export const isTrial = (stage: string): boolean => trialPattern.test(stage);

/** The names of other stages have no hyphen (`stagePattern` in load.ts). */
const trialPattern = /^trial(-[a-z0-9]{1,22})?$/;

/** Returns the command of the CDK CLI for a trial. */
export const trialCommand = (command: 'deploy' | 'destroy', stage: string): string =>
  `npx cdk ${command} --context stage=${stage}`;

const ownAddress = '--context address="$(curl -s https://checkip.amazonaws.com)"';

/** Returns the command that deploys a trial which the machine that runs the command may call. */
export const deployCommandOfTrial = (stage: string): string => `${trialCommand('deploy', stage)} ${ownAddress}`;

const { consent, throttle, logRetentionDays, usageEveryMinutes, monitoring, simulatedHomes } = stageConfig.shape;
const { runbooksUrl, lambdaConcurrencyQuota } = monitoring.shape;
const { companyId, name, webhookHosts } = company.shape;

const notInTrial = (remedy: string) => z.undefined({ error: `is not possible in a trial; ${remedy}` }).optional();
const lastingOnly = notInTrial('remove it, or copy config/example.json for a stage that stays.');
const fromCli = notInTrial('remove it: the CDK CLI takes it from your credentials.');

/** The configuration of a trial: the content of `config/trial.json`, in which nobody has to fill in anything. */
export const trialConfig = z.strictObject({
  consent: consent.omit({ newestVersion: true }),
  throttle,
  logRetentionDays,
  usageEveryMinutes,
  /** The alarms of a trial notify nobody. */
  monitoring: z.strictObject({ runbooksUrl, lambdaConcurrencyQuota }),
  simulatedHomes: simulatedHomes.unwrap(),
  /** One company, whose only address is that of the person who deploys. */
  companies: z
    .array(z.strictObject({ companyId, name, webhookHosts }))
    .length(1, invalid('has not exactly one entry; list one company.')),
  account: fromCli,
  region: fromCli,
  domain: lastingOnly,
  operators: lastingOnly,
  neighbours: lastingOnly,
  workflow: lastingOnly,
});

/** What a trial takes from its deployment instead of its configuration. */
export type TrialPlace = Pick<StageConfig, 'account' | 'region'> & { readonly allowedCidrs: readonly string[] };

/** Returns the configuration of a trial in the form of other stages. */
export const stageOfTrial = (
  { consent, throttle, logRetentionDays, usageEveryMinutes, ...trial }: z.output<typeof trialConfig>,
  { account, region, allowedCidrs }: TrialPlace,
): StageConfig => ({
  account,
  region,
  consent,
  throttle,
  logRetentionDays,
  usageEveryMinutes,
  monitoring: { ...trial.monitoring, page: [], ticket: [] },
  simulatedHomes: trial.simulatedHomes,
  companies: trial.companies.map((each) => ({ ...each, allowedCidrs: [...allowedCidrs] })),
});

/**
 * Returns the blocks from which a trial is called: the public address of the person who deploys it, or a block of public
 * addresses. If the address is missing or wrong, returns no block and the fault, as a sentence that names the remedy.
 */
export const blocksOfTrial = (address = ''): Pick<TrialPlace, 'allowedCidrs'> & { readonly fault?: string } => {
  const fault = addressFault(address);
  if (!fault) return { allowedCidrs: isIP(address) === 0 ? [address] : unionOf([address]) };
  return {
    allowedCidrs: [],
    fault: `${fault} To admit the address of this machine, add: ${ownAddress}`,
  };
};

const addressFault = (address: string): string | undefined => {
  if (address === '') return 'A trial admits one address, which is missing.';
  const [ip = ''] = address.split('/');
  const given = `The address of the trial is "${address}", which`;
  if (isIP(ip) === 0) return `${given} is no IP address.`;
  const fault = ip === address ? undefined : cidrFault(address);
  if (fault) return `The address of the trial ${fault}`;
  // API Gateway compares the address that a request comes from on the internet.
  return ipaddr.parse(ip).range() === 'unicast' ? undefined : `${given} is private or reserved.`;
};
