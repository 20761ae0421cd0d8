import { type Endpoint, pathParametersOf } from '../../lambdas/api/endpoints/endpoint.ts';
import { type RatePolicy, ratePolicies } from '../../lambdas/api/limits.ts';

/** All rate policies, as an extension of the document. */
export const describedRatePolicies = Object.fromEntries(
  Object.entries<RatePolicy>(ratePolicies).map(([policy, { burst, refillIntervalMs }]) => [
    policy,
    { burst, refillIntervalMs },
  ]),
);

/** The rate policy of an operation, as an extension. */
export const rateLimitOf = ({ ratePolicy }: Endpoint) => ({ policy: ratePolicy, ...ratePolicies[ratePolicy] });

/** The rate policy of an operation in words, and what a request costs. */
export const rateWordsOf = ({ ratePolicy, path }: Endpoint): string => {
  const { burst, refillIntervalMs }: RatePolicy = ratePolicies[ratePolicy];
  const counted =
    pathParametersOf(path).length > 0 ? 'company, operation and path with its ids' : 'company and operation';
  return [
    `Rate policy \`${ratePolicy}\`: ${requests(burst)} at once, and one more every ${refillIntervalMs} ms, for each ${counted}.`,
    'A request costs one token, also if it then fails. A refusal with 429 is free, and so is one before the key is known and the ids are well-formed.',
    ...(path.includes('{gatewayId}')
      ? ['Requests for gateways that are not in the contract share one token bucket of the policy `general`.']
      : []),
  ].join(' ');
};

const requests = (count: number) => (count === 1 ? '1 request' : `${count} requests`);
