import { compilePolicies, type PolicyDocument } from '../iam/iam-policy.ts';
import { account, arnOf } from '../template/account.ts';
import { apiId } from '../template/resource-attributes.ts';
import type { ApiRequest } from './exchange.ts';
import { GatewayError } from './gateway-error.ts';

/** The ARN of a request's method, as policies and permissions name it. */
export const methodArn = (stage: string, httpMethod: string, path: string): string =>
  arnOf('execute-api', `${apiId}/${stage}/${httpMethod}${path}`);

/** Refuses a request that the API's resource policy does not allow; without a policy, everyone may come in. */
export const compileResourcePolicy = (policy: PolicyDocument | undefined): ((request: ApiRequest) => void) => {
  if (!policy) return () => undefined;
  const decide = compilePolicies([withFullArns(policy)]);
  return ({ stage, httpMethod, path, sourceIp }) => {
    const resource = methodArn(stage, httpMethod, path);
    const decision = decide({ action: 'execute-api:Invoke', resource, sourceIp, secureTransport: true });
    if (decision === 'allow') return;
    const maskedResource = resource.replace(account.id, account.id.replace(/.(?=.{4})/g, '*'));
    const cause = decision === 'explicit deny' ? ' with an explicit deny' : '';
    throw new GatewayError('ACCESS_DENIED', {
      message: `User: anonymous is not authorized to perform: execute-api:Invoke on resource: ${maskedResource}${cause}`,
    });
  };
};

/** API Gateway reads `execute-api:/*` as what belongs to the API that the policy is attached to. */
const withFullArns = (policy: PolicyDocument): PolicyDocument => ({
  ...policy,
  Statement: [policy.Statement].flat().map((statement) => ({
    ...statement,
    Resource: [statement.Resource]
      .flat()
      .map((arn) => arn.replace(/^execute-api:\//, arnOf('execute-api', `${apiId}/`))),
  })),
});
