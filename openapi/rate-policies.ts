import { type Endpoint, pathParametersOf } from '../lambdas/api/endpoint.ts';
import { type RateLimit, rateClasses } from '../lambdas/api/rate-classes.ts';

/** All policies, as an extension of the document. */
export const ratePolicies = Object.fromEntries(
  Object.entries<RateLimit>(rateClasses).map(([policy, { burst, refillIntervalMs }]) => [
    policy,
    { burst, refillIntervalMs },
  ]),
);

/** The policy of an operation, as an extension. */
export const rateLimitOf = ({ rateClass }: Endpoint) => ({ policy: rateClass, ...ratePolicies[rateClass] });

/** The same in words, and what a request costs. */
export const rateWordsOf = ({ rateClass, path }: Endpoint): string => {
  const { burst, refillIntervalMs }: RateLimit = rateClasses[rateClass];
  const counted =
    pathParametersOf(path).length > 0 ? 'company, operation and path with its ids' : 'company and operation';
  return [
    `Rate policy \`${rateClass}\`: ${requests(burst)} at once, and one more every ${refillIntervalMs} ms, counted per ${counted}.`,
    'Costs one token, also when it then fails; free are a refusal with 429, and one before the key is known and the ids are well-formed.',
    ...(path.includes('{gatewayId}')
      ? ['Gateways that are not in the contract are counted together, under the policy `general`.']
      : []),
  ].join(' ');
};

const requests = (count: number) => (count === 1 ? '1 request' : `${count} requests`);
