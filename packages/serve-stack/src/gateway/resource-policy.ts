import { compilePolicies, type PolicyDocument } from '../iam/iam-policy.ts';
import { arnOf, type Environment } from '../template/environment.ts';
import { apiId } from '../template/resource-attributes.ts';
import type { ApiRequest } from './exchange.ts';
import { GatewayError } from './gateway-error.ts';

/** Names a request's method, as policies and permissions do. */
export const methodArn = (environment: Environment, stage: string, httpMethod: string, path: string): string =>
  arnOf(environment, 'execute-api', `${apiId}/${stage}/${httpMethod}${path}`);

/** Refuses a request that the API's resource policy does not allow; without a policy, everyone may come in. */
export const compileResourcePolicy = (
  environment: Environment,
  policy: PolicyDocument | undefined,
): ((request: ApiRequest) => void) => {
  if (!policy) return () => undefined;
  const { accountId } = environment;
  const decide = compilePolicies([withFullArns(environment, policy)]);
  return ({ stage, httpMethod, path, sourceIp }) => {
    const resource = methodArn(environment, stage, httpMethod, path);
    const decision = decide({ action: 'execute-api:Invoke', resource, sourceIp, secureTransport: true });
    if (decision === 'allow') return;
    const maskedResource = resource.replace(accountId, accountId.replace(/.(?=.{4})/g, '*'));
    const cause = decision === 'explicit deny' ? ' with an explicit deny' : '';
    throw new GatewayError('ACCESS_DENIED', {
      message: `User: anonymous is not authorized to perform: execute-api:Invoke on resource: ${maskedResource}${cause}`,
    });
  };
};

/** API Gateway reads `execute-api:/*` as what belongs to the API that the policy is attached to. */
const withFullArns = (environment: Environment, policy: PolicyDocument): PolicyDocument => ({
  ...policy,
  Statement: [policy.Statement].flat().map((statement) => ({
    ...statement,
    Resource: [statement.Resource]
      .flat()
      .map((arn) => arn.replace(/^execute-api:\//, arnOf(environment, 'execute-api', `${apiId}/`))),
  })),
});
