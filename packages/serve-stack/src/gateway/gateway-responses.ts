import { requireKnown } from '../errors/require-known.ts';
import { UserFacingError } from '../errors/user-facing-error.ts';
import type { ApiResponse } from './api-response.ts';
import { compileTemplate, compileVariable } from './context-variables.ts';
import type { Exchange, Header } from './exchange.ts';
import type { GatewayError } from './gateway-error.ts';

/** Holds the properties of an `AWS::ApiGateway::GatewayResponse`, its intrinsics resolved. */
export type GatewayResponseProperties = {
  readonly ResponseType: string;
  readonly StatusCode?: string;
  readonly ResponseParameters?: Readonly<Record<string, string>>;
  readonly ResponseTemplates?: Readonly<Record<string, string>>;
};

const knownProperties = ['ResponseType', 'StatusCode', 'ResponseParameters', 'ResponseTemplates', 'RestApiId'];
const mediaType = 'application/json';
const headerPrefix = 'gatewayresponse.header.';

/** Makes the answers that API Gateway gives itself, as the template words them. */
export const compileGatewayResponses = (responses: readonly GatewayResponseProperties[]) => {
  const customized = new Map(responses.map((response) => [response.ResponseType, compileResponse(response)]));
  const uncustomized = compileResponse({ ResponseType: 'uncustomized' });

  return (error: GatewayError, exchange: Exchange): ApiResponse => {
    if (error.type === 'REQUEST_TOO_LARGE') return tooLarge(error);
    const family = error.status < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX';
    const render = customized.get(error.type) ?? customized.get(family) ?? uncustomized;
    return render(error, exchange);
  };
};

/** API Gateway takes a customized response for this type, but answers in its own words, in plain text. */
const tooLarge = ({ status, message }: GatewayError): ApiResponse => ({
  status,
  headers: [['Content-Type', 'text/plain']],
  body: message,
});

const compileResponse = (response: GatewayResponseProperties) => {
  const { ResponseType, StatusCode, ResponseParameters = {}, ResponseTemplates } = response;
  const what = `of the gateway response ${ResponseType}:`;
  requireKnown(`property ${what}`, Object.keys(response), knownProperties);
  requireKnown(`media type ${what}`, Object.keys(ResponseTemplates ?? {}), [mediaType]);
  const renderBody = compileTemplate(ResponseTemplates?.[mediaType] ?? '{"message":$context.error.messageString}');
  const headers = Object.entries(ResponseParameters).map(([target, value]) => compileHeader(target, value));

  return (error: GatewayError, exchange: Exchange): ApiResponse => {
    const own: Header[] = headers.map(({ name, valueIn }) => [name, valueIn(exchange)]);
    const hasContentType = own.some(([name]) => name.toLowerCase() === 'content-type');
    return {
      status: Number(StatusCode ?? error.status),
      headers: [
        ...(hasContentType ? [] : [['Content-Type', mediaType] as const]),
        ['x-amzn-ErrorType', error.code],
        ...own,
      ],
      body: renderBody(exchange),
    };
  };
};

/** The value is a text in single quotes or a context variable without its `$`. */
const compileHeader = (target: string, value: string) => {
  if (!target.startsWith(headerPrefix))
    throw new UserFacingError(`The local run does not know the gateway response parameter ${target}.`);
  const name = target.slice(headerPrefix.length);
  const [, text] = value.match(/^'(.*)'$/s) ?? [];
  if (text !== undefined) return { name, valueIn: () => text };
  const variable = compileVariable(value);
  return { name, valueIn: (exchange: Exchange) => String(variable(exchange) ?? '') };
};
