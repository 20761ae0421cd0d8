import { requirementsOf } from '../../lambdas/api/chain/requirements.ts';
import type { Endpoint } from '../../lambdas/api/endpoints/endpoint.ts';
import { maxBodyBytes } from '../../lambdas/api/limits.ts';
import { authenticatedHeaderNames, commonHeaderNames, headersOf } from './headers.ts';
import { parametersOf } from './parameters.ts';
import { problemResponsesOf } from './problem-responses.ts';
import { rateLimitOf, rateWordsOf } from './rate-policies.ts';
import { referenceTo } from './schemas.ts';
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
        content: { 'application/json': { schema: referenceTo(endpoint.body) } },
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
    ...(endpoint.onBehalfOfUser ? ['Needs an active contract, its owner in `x-user-id`, and up-to-date consent.'] : []),
    rateWordsOf(endpoint),
  ].join('\n\n');

const changeWords =
  'A change is a change: it is stored and visible at once, `pending` until the appliance reports that it has taken it, `confirmed` then. An appliance that is offline takes it later.';

const successOf = ({ status, body, headers = [] }: Endpoint['success']) => ({
  description: successWords[status],
  headers: headersOf([...commonHeaderNames, ...authenticatedHeaderNames, ...headers], 'required'),
  ...(body && { content: { 'application/json': { schema: referenceTo(body) } } }),
});

const successWords: Readonly<Record<Endpoint['success']['status'], string>> = {
  200: 'As it is now.',
  201: 'Created.',
  202: 'The change is stored as requested; the body shows it.',
  204: 'Deleted.',
};
