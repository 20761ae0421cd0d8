import type { Answer, RateLimit, Refusal, Said, UnknownAnswer } from './answer.ts';
import type { Operation } from './operation.ts';
import type { OperationId } from './operation-types.ts';

type Content = { readonly mediaType: string; readonly text: string; readonly json: unknown };

/** Reads an answer. Checks status, media type and `code` against the API document, and does not check bodies. */
export const readAnswer = async (operation: Operation, response: Response): Promise<Answer<OperationId>> => {
  const { status, headers } = response;
  const content = await readContent(response);
  const said = saidIn(headers);
  if (isSuccess(operation, status, content))
    return {
      ok: true,
      status,
      headers: Object.fromEntries(headers),
      body: content.json,
      ...said,
    } as Answer<OperationId>;
  const problem = isProblem(operation, content) ? content.json : unknownAnswer(status, content);
  return { ok: false, problem, retryAfterSeconds: retryAfterSecondsIn(headers), ...said } as Refusal<OperationId>;
};

const readContent = async (response: Response): Promise<Content> => {
  const [mediaType = ''] = (response.headers.get('content-type') ?? '').split(';');
  const text = await response.text();
  return { mediaType, text, json: mediaType.endsWith('json') ? parseJson(text) : undefined };
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const isSuccess = ({ successStatus }: Operation, status: number, { mediaType, json }: Content): boolean =>
  status === successStatus && (status === 204 || (mediaType === 'application/json' && json !== undefined));

const isProblem = ({ problemCodes }: Operation, { mediaType, json }: Content): boolean =>
  mediaType === 'application/problem+json' && problemCodes.includes(memberOf(json, 'code') ?? '');

const unknownAnswer = (status: number, { mediaType, text, json }: Content): UnknownAnswer => ({
  code: 'unknown-answer',
  status,
  title: memberOf(json, 'title') ?? `The API document has no answer ${status} of this operation`,
  detail:
    memberOf(json, 'detail') ?? `Expected a success or a problem of the operation, got ${mediaType || 'no content'}.`,
  body: json === undefined ? text : json,
});

const memberOf = (json: unknown, name: string): string | undefined => {
  const member = (json as Record<string, unknown> | null | undefined)?.[name];
  return typeof member === 'string' ? member : undefined;
};

const saidIn = (headers: Headers): Said => ({
  requestId: headers.get('x-request-id') ?? undefined,
  apiKeyExpiresAt: headers.get('x-api-key-expires-at') ?? undefined,
  rateLimit: rateLimitIn(headers.get('ratelimit') ?? ''),
});

const rateLimitIn = (field: string): RateLimit | undefined => {
  const [, policy, remaining, nextInSeconds] = /^"([\w-]+)";r=(\d+);t=(\d+)$/.exec(field) ?? [];
  if (policy === undefined) return undefined;
  return { policy, remaining: Number(remaining), nextInSeconds: Number(nextInSeconds) };
};

/** The value of Retry-After: whole seconds, at least 1, as the API sends it. Other forms, which a proxy may send, are ignored. */
const retryAfterSecondsIn = (headers: Headers): number | undefined => {
  const field = headers.get('retry-after') ?? '';
  return /^[1-9]\d*$/.test(field) ? Number(field) : undefined;
};
