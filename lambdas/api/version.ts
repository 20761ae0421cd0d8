/** The API Gateway stage: the major version, first segment of every path. */
export const apiStage = 'v1';

/** Sent as `x-api-version`; the minor grows with every additive change within the major. */
export const apiVersion = '1.5';

/** The headers of every answer, whoever makes it. */
export const commonHeaders = (requestId: string): Record<string, string> => ({
  'x-request-id': requestId,
  'x-api-version': apiVersion,
  'Cache-Control': 'no-store',
  'Strict-Transport-Security': 'max-age=31536000',
  'X-Content-Type-Options': 'nosniff',
});
