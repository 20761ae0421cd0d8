import { Problem } from '../api/problem.ts';
import { toTimestamp } from '../domain/time.ts';
import type { CallRequest, MiddlewareFactory } from './call.ts';

const maxErrorCharacters = 500;

/** Writes one line of JSON per request. It names the key by its id only, and an error only where it is ours. */
export const requestLog: MiddlewareFactory = ({ operationId, onBehalfOfUser }) => {
  const write = ({ context: { call }, response, error }: CallRequest) => {
    const line = {
      level: error && !(error instanceof Problem) ? 'ERROR' : 'INFO',
      at: call.nowMs && toTimestamp(call.nowMs),
      requestId: call.requestId,
      operation: operationId,
      status: response?.statusCode,
      problem: error instanceof Problem ? error.code : undefined,
      companyId: call.key?.companyId,
      keyId: call.key?.keyId,
      userId: onBehalfOfUser ? call.contract?.userId : undefined,
      gatewayId: call.pathIds?.gatewayId,
      path: call.counter?.path,
      durationMs: call.openedAtMs && Math.round(performance.now() - call.openedAtMs),
      error: error && !(error instanceof Problem) ? String(error.stack).slice(0, maxErrorCharacters) : undefined,
    };
    process.stdout.write(`${JSON.stringify(line)}\n`);
  };
  return { after: write, onError: write };
};
