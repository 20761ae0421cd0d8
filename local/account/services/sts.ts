import { roleArn } from '../../aws/template/environment.ts';
import { AccountError } from '../account-error.ts';
import type { QueryValue, XmlValue } from '../query-protocol.ts';
import type { Resources } from '../resources.ts';

/** Who calls, and in which role. Only roles that a stack of the account has made can be assumed. */
export const createSts =
  ({ environment, physicalIdsOf }: Resources) =>
  (action: string, { RoleArn }: Readonly<Record<string, QueryValue>>): XmlValue => {
    const { accountId, partition } = environment;
    if (action === 'GetCallerIdentity')
      return { Account: accountId, UserId: 'local', Arn: `arn:${partition}:iam::${accountId}:user/deployer` };
    if (action !== 'AssumeRole') throw new AccountError('InvalidAction', `STS does not know ${action} here.`);
    const isThere = physicalIdsOf('AWS::IAM::Role').some((name) => roleArn(environment, name) === RoleArn);
    if (!isThere) throw new AccountError('AccessDenied', `There is no role ${RoleArn} in this account.`);
    return {
      Credentials: {
        AccessKeyId: 'local',
        SecretAccessKey: 'local',
        SessionToken: 'local',
        Expiration: new Date(Date.now() + 3_600_000).toISOString(),
      },
      AssumedRoleUser: { AssumedRoleId: 'local', Arn: String(RoleArn) },
    };
  };
