/** The API Gateway stage: the major version, first segment of every path. */
export const apiStage = 'v1';

/** Sent as `x-api-version`; the minor grows with every additive change within the major. */
export const apiVersion = '1.0';

/** Returns the headers of every answer, API Gateway's own answers included. */
export const commonHeaders = (requestId: string): Record<string, string> => ({
  'x-request-id': requestId,
  'x-api-version': apiVersion,
  'Cache-Control': 'no-store',
  'Strict-Transport-Security': 'max-age=31536000',
  'X-Content-Type-Options': 'nosniff',
});
