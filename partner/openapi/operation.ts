import { requirementsOf } from '../../lambdas/api/chain.ts';
import type { Endpoint } from '../../lambdas/api/endpoints/endpoint.ts';
import { maxBodyBytes } from '../../lambdas/api/limits.ts';
import { authenticatedHeaderNames, commonHeaderNames, headersOf } from './headers.ts';
import { parametersOf } from './parameters.ts';
import { problemResponsesOf } from './problem-responses.ts';
import { rateLimitOf, rateWordsOf } from './rate-policies.ts';
import { documentationOf, referenceTo } from './schemas.ts';
import { tagOf } from './tags.ts';

/** One operation of the document, from its row. */
export const operationOf = (operationId: string, endpoint: Endpoint) => {
  const parameters = parametersOf(endpoint);
  return {
    operationId,
    tags: [tagOf(endpoint).name],
    summary: endpoint.summary,
    description: descriptionOf(endpoint),
    ...(parameters.length > 0 && { parameters }),
    ...(endpoint.body && {
      requestBody: {
        required: true,
        description: `At most ${maxBodyBytes} bytes.`,
        content: {
          'application/json': { schema: referenceTo(endpoint.body), example: documentationOf(endpoint.body).example },
        },
      },
    }),
    responses: {
      [endpoint.success.status]: successOf(endpoint.success),
      ...problemResponsesOf(requirementsOf(endpoint).problems),
    },
    'x-rate-limit': rateLimitOf(endpoint),
  };
};

const descriptionOf = (endpoint: Endpoint): string =>
  [
    `${endpoint.summary}.`,
    ...(endpoint.success.status === 202 ? [changeWords] : []),
    ...(endpoint.onBehalfOfUser
      ? [
          'The request needs an active contract, the owner of the contract in `x-user-id`, and the owner’s consent to the latest version.',
        ]
      : []),
    rateWordsOf(endpoint),
  ].join('\n\n');

const changeWords =
  'The change is stored as a requested change and visible at once. It is `pending` until the appliance reports it, and `confirmed` then. An appliance that is offline receives it later.';

const successOf = ({ status, body, headers = [] }: Endpoint['success']) => ({
  description: successWords[status],
  headers: headersOf([...commonHeaderNames, ...authenticatedHeaderNames, ...headers], 'required'),
  ...(body && { content: { 'application/json': { schema: referenceTo(body) } } }),
});

const successWords: Readonly<Record<Endpoint['success']['status'], string>> = {
  200: 'The current state.',
  201: 'Created.',
  202: 'The requested change is stored; the body shows it.',
  204: 'Deleted.',
};
