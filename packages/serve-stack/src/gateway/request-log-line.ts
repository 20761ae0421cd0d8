import type { Exchange } from './exchange.ts';

/** Writes a line for the terminal, with the path's template only: whatever a client puts into a path may be secret. */
export const requestLogLine = ({ request, resourcePath, error, answered }: Exchange): string =>
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
