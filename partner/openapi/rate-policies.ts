import { type Endpoint, pathParametersOf } from '../../lambdas/api/endpoints/endpoint.ts';
import { type RatePolicy, ratePolicies } from '../../lambdas/api/rate-policies.ts';

/** All policies, as an extension of the document. */
export const describedRatePolicies = Object.fromEntries(
  Object.entries<RatePolicy>(ratePolicies).map(([policy, { burst, refillIntervalMs }]) => [
    policy,
    { burst, refillIntervalMs },
  ]),
);

/** The policy of an operation, as an extension. */
export const rateLimitOf = ({ ratePolicy }: Endpoint) => ({ policy: ratePolicy, ...ratePolicies[ratePolicy] });

/** The same in words, and what a request costs. */
export const rateWordsOf = ({ ratePolicy, path }: Endpoint): string => {
  const { burst, refillIntervalMs }: RatePolicy = ratePolicies[ratePolicy];
  const counted =
    pathParametersOf(path).length > 0 ? 'company, operation and path with its ids' : 'company and operation';
  return [
    `Rate policy \`${ratePolicy}\`: ${requests(burst)} at once, and one more every ${refillIntervalMs} ms, counted per ${counted}.`,
    'Costs one token, also when it then fails; free are a refusal with 429, and one before the key is known and the ids are well-formed.',
    ...(path.includes('{gatewayId}')
      ? ['Gateways that are not in the contract are counted together, under the policy `general`.']
      : []),
  ].join(' ');
};

const requests = (count: number) => (count === 1 ? '1 request' : `${count} requests`);
