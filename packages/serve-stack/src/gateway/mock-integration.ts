import { requireKnown } from '../errors/require-known.ts';
import { UserFacingError } from '../errors/user-facing-error.ts';
import type { ApiResponse } from './api-response.ts';

/** Holds the properties of an integration that answers by itself, as CORS preflight requests are answered. */
export type MockIntegration = {
  readonly IntegrationResponses?: readonly IntegrationResponse[];
  readonly RequestTemplates?: Readonly<Record<string, string>>;
  readonly Type: string;
};

type IntegrationResponse = {
  readonly ResponseParameters?: Readonly<Record<string, string>>;
  readonly ResponseTemplates?: Readonly<Record<string, string>>;
  readonly StatusCode: string;
};

const mediaType = 'application/json';
const headerPrefix = 'method.response.header.';

/** Compiles the one answer of a mock integration; a template with logic in it is an error that names the method. */
export const mockResponse = (method: string, integration: MockIntegration): ApiResponse => {
  const known = (what: string, names: readonly string[], knownNames: readonly string[]) =>
    requireKnown(`${what} of the mock integration of ${method}:`, names, knownNames);
  known('property', Object.keys(integration), ['IntegrationResponses', 'RequestTemplates', 'Type']);
  const { RequestTemplates = {}, IntegrationResponses: [response, ...others] = [] } = integration;
  known('media type', Object.keys(RequestTemplates), [mediaType]);
  if (
    !response ||
    others.length > 0 ||
    !/^\s*\{\s*"?statusCode"?\s*:\s*\d{3}\s*\}\s*$/.test(RequestTemplates[mediaType] ?? '')
  )
    throw new UserFacingError(
      'The local run knows mock integrations with one response and the request template { "statusCode": 200 }; ' +
        `${method} has another one.`,
    );

  const { ResponseParameters = {}, ResponseTemplates = {}, StatusCode } = response;
  known('response property', Object.keys(response), ['ResponseParameters', 'ResponseTemplates', 'StatusCode']);
  known('media type', Object.keys(ResponseTemplates), [mediaType]);
  const body = ResponseTemplates[mediaType] ?? '';
  if (/[$#]/.test(body))
    throw new UserFacingError(`The local run does not know the response template of ${method}: ${body}`);
  return {
    status: Number(StatusCode),
    headers: [
      ['Content-Type', mediaType],
      ...Object.entries(ResponseParameters).map(([target, value]) => headerOf(method, target, value)),
    ],
    body,
  };
};

const headerOf = (method: string, target: string, value: string): readonly [string, string] => {
  const [, text] = /^'(.*)'$/s.exec(value) ?? [];
  if (text !== undefined && target.startsWith(headerPrefix)) return [target.slice(headerPrefix.length), text];
  throw new UserFacingError(`The local run does not know the response parameter ${target} of ${method}: ${value}.`);
};
