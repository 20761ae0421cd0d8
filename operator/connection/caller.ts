import { GetCallerIdentityCommand, type STSClient } from '@aws-sdk/client-sts';
import { OperatorError } from '../errors/operator-error.ts';

/** Finds who is calling; throws if they are of another account, where a stack of the same name is another stage. */
export const callerIn = async (account: string, stage: string, sts: STSClient): Promise<string> => {
  const { Arn, Account } = await sts.send(new GetCallerIdentityCommand({}));
  if (!Arn) throw new OperatorError('error', 'AWS does not say who is calling; every act has to be on record with it.');
  if (Account !== account)
    throw new OperatorError(
      'refused',
      `The stage ${stage} is in account ${account} (config/${stage}.json), but the credentials are of account ${Account} (${Arn}). Log in there, or name another --profile.`,
    );
  return Arn;
};
