import type { Exchange } from './exchange.ts';

/** One line for the terminal. Of the path only its template: whatever a client puts into a path may be secret. */
export const requestLine = ({ request, resourcePath, error, answered }: Exchange): string =>
  [
    new Date(request.arrivedAtMs).toTimeString().slice(0, 8),
    request.sourceIp,
    request.httpMethod,
    resourcePath ? `/${request.stage}${resourcePath}` : '(no route)',
    answered?.status,
    `${answered?.latencyMs} ms`,
    error && `${error.type}${error.reason ? `: ${error.reason}` : ''}`,
  ]
    .filter((part) => part !== undefined)
    .join(' ');
