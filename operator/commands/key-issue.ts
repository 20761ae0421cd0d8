import { keyLifetimeMonths, maxValidKeysPerCompany } from '../../lambdas/api/limits.ts';
import { readTakenSlots } from '../../lambdas/data/api-keys/api-keys.ts';
import { isValidAt, type NewKey } from '../../lambdas/domain/api-keys/api-key.ts';
import { isRegistered, issueApiKey } from '../changes/api-key-issue.ts';
import { companyId } from '../cli/arguments.ts';
import { defineCommand } from '../cli/command.ts';
import type { OperatorContext } from '../cli/context.ts';
import { requireContract } from '../contracts/contract-change.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { keyFileOf, keyFileOptions, readKeyFile } from '../keys/key-file.ts';
import { capReached, issueIntoFile, keyIssueOutput, keyIssueView, refuseUnusableKey } from '../keys/key-issue.ts';

export const keyIssue = defineCommand({
  noun: 'key',
  verb: 'issue',
  summary: 'Issue a key to a company, also to one that has no valid key left to renew with',
  arguments: { companyId },
  options: keyFileOptions,
  changes: true,
  requirements: {
    tableActions: {
      ApiKeys: ['GetItem', 'PutItem', 'Query'],
      Contracts: ['ConditionCheckItem', 'GetItem'],
      AuditLog: ['PutItem', 'Query'],
    },
  },
  output: keyIssueOutput,
  run: async (context, input) => {
    const file = keyFileOf(context, input);
    const { store } = await context.connect();
    await requireContract(store, input.companyId);
    const kept = readKeyFile(file, input.companyId);
    const isIssued = kept !== undefined && (await isRegistered(store, kept));
    if (kept && (!isIssued || !isValidAt(kept, context.nowMs)))
      await refuseUnusableKey(context, file, input.companyId, kept);
    const takenSlots = await readTakenSlots(store, input.companyId, context.nowMs);
    if (!isIssued && takenSlots.length === maxValidKeysPerCompany) throw capReached(input.companyId, takenSlots);

    const what = `${takenSlots.length + 1} of ${maxValidKeysPerCompany}, valid for ${keyLifetimeMonths} months`;
    if (isIssued)
      context.talk(`${file} holds key ${kept.keyId}, issued before. For one more, name another --key-file.`);
    return issueIntoFile(context, {
      ...input,
      file,
      kept,
      differences: isIssued ? [] : [{ what: 'key', before: null, after: what }],
      register: (key) => register(context, input.companyId, key),
    });
  },
  view: keyIssueView,
});

const register = async (context: OperatorContext, id: string, key: NewKey) => {
  const { store } = await context.connect();
  const issue = await issueApiKey(store, await context.auditContext(id), key);
  if (issue.outcome === 'issued') return;
  if (issue.outcome === 'api-key-limit-reached') throw capReached(id, issue.takenSlots);
  throw new OperatorError('conflict', `${id} lost its contract at the same moment. Look: company show ${id}.`);
};
