import { apiVersion } from './version.ts';

/** The headers of every answer, whoever makes it. */
export const commonHeaders = (requestId: string): Record<string, string> => ({
  'x-request-id': requestId,
  'x-api-version': apiVersion,
  'Cache-Control': 'no-store',
  'Strict-Transport-Security': 'max-age=31536000',
  'X-Content-Type-Options': 'nosniff',
});
