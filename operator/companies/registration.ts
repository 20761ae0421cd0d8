import { type Company as Registration, company as registration } from '../../config/company.ts';
import { check } from '../../config/load.ts';
import { isInStore } from '../../config/schema.ts';
import { isTrial } from '../../config/trial.ts';
import type { Company } from '../../lambdas/domain/company.ts';
import type { OperatorContext } from '../cli/context.ts';
import { findFile, readTextFile } from '../cli/text-file.ts';
import { OperatorError } from '../error.ts';

/** Reads a company's registration from the configuration or, if the store has the registrations, from the file. */
export const readRegistration = async (
  { config, stage, host }: OperatorContext,
  companyId: string,
  file: string | undefined,
): Promise<Registration> => {
  if (isInStore(config)) return readFrom(host.directory, companyId, file);
  if (file !== undefined)
    throw new OperatorError(
      'usage',
      `The companies of this stage are registered in config/${stage}.json. Leave out --registration: that entry is used.`,
    );
  const found = config.companies.find((each) => each.companyId === companyId);
  if (found) return found;
  const [only] = config.companies;
  if (isTrial(stage) && only)
    throw new OperatorError('not-found', `A trial has one company, ${only.companyId}. Run the command with that name.`);
  if (stage === 'local')
    throw new OperatorError(
      'not-found',
      `${companyId} is not in config/local.json. Add it there, with its addresses, and restart npm start. If the entry has a userId, the start onboards the company, and demo.json has its key; if not, run this command again.`,
    );
  throw new OperatorError(
    'not-found',
    `${companyId} is not in config/${stage}.json. Add it there, with its addresses, and deploy the stage, so that the addresses are allowed.`,
  );
};

const readFrom = async (directory: string, companyId: string, file: string | undefined): Promise<Registration> => {
  if (file === undefined)
    throw new OperatorError(
      'usage',
      `The companies of this stage are registered in the store. Add --registration <file>, a JSON file like {"companyId":"${companyId}","name":"…","allowedCidrs":["192.0.2.0/28"]}.`,
    );
  const path = await findFile(directory, file);
  const { data, faults } = check(registration, parse(path, await readTextFile(path)));
  if (!data) throw new OperatorError('usage', faults.map((fault) => `${path}: ${fault}`).join('\n'));
  if (data.companyId !== companyId)
    throw new OperatorError('usage', `${path} registers ${data.companyId}, not ${companyId}. Name one of the two.`);
  return data;
};

/** The error does not quote the file: a wrong file may contain secrets. */
const parse = (path: string, text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new OperatorError('usage', `${path} is not JSON. Correct it, or name another file.`);
  }
};

/** Converts a company of the store to a configuration entry, without its owners and gateways, which contracts list. */
export const registrationOf = ({ companyId, name, allowedCidrs, webhookHosts }: Company): Registration => ({
  companyId,
  name,
  allowedCidrs: [...allowedCidrs],
  ...(webhookHosts.length > 0 && { webhookHosts: [...webhookHosts] }),
});
