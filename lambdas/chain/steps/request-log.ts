import type { EventContent } from '../../api/event.ts';
import { decisionOf } from '../../api/metrics.ts';
import { Problem } from '../../api/problem.ts';
import type { RequestEvent } from '../../api/request-event.ts';
import { writeEvent } from '../../data/event-log.ts';
import type { StoreCall } from '../../data/store/store-timing.ts';
import { faultFields } from '../../domain/fault-fields.ts';
import { type CallRequest, known, type MiddlewareFactory } from '../call.ts';
import { toProblem } from './problem-response.ts';

/**
 * Writes one event per request: when, who, for whom, at what, how it was decided and what took how long, with the metrics
 * that follow from it. It names the key by its id only, and shows an error only where it is ours.
 */
export const requestLog: MiddlewareFactory = ({ operationId, onBehalfOfUser, countedAs }) => {
  const initMs = Math.round(performance.now());
  let isColdStart = true;

  const write = (request: CallRequest) => {
    const { context, response, error } = request;
    const { call } = context;
    const problem = error && toProblem(error);
    const decision = decisionOf(problem?.code);
    const hasChanged = call.storeCalls?.some(isChange);
    const event = {
      level: decision === 'failed' ? 'ERROR' : 'INFO',
      requestId: known(request, 'requestId'),
      operation: operationId,
      decision,
      reason: problem?.code,
      ratePolicy: decision === 'limited' ? call.ratePolicy : undefined,
      status: response?.statusCode,
      companyId: call.key?.companyId,
      keyId: call.key?.keyId,
      userId: onBehalfOfUser ? call.contract?.userId : undefined,
      gatewayId: call.pathIds?.gatewayId,
      path: call.counter?.path,
      durationMs: Math.round(performance.now() - known(request, 'openedAtMs')),
      storeMs: timesByCommand(known(request, 'storeCalls')),
      coldStart: isColdStart,
      ...(error && !(error instanceof Problem) && faultFields(error)),
      Requests: 1,
      InitMs: isColdStart ? initMs : undefined,
      AuditWriteFailures: hasChanged ? (decision === 'failed' ? 1 : 0) : undefined,
      ...(countedAs && decision === 'allowed' && hasChanged && { [countedAs]: 1 }),
    } satisfies EventContent<RequestEvent>;
    writeEvent(known(request, 'nowMs'), event);
    isColdStart = false;
  };
  return { after: write, onError: write };
};

/** All changes are transactions, and each of those holds its audit row. */
const isChange = ({ command }: StoreCall) => command === 'TransactWriteItems';

/** `{ BatchGetItem: [3], UpdateItem: [2, 4] }` */
const timesByCommand = (calls: readonly StoreCall[]): Record<string, number[]> => {
  const times: Record<string, number[]> = {};
  for (const { command, durationMs } of calls) times[command] = [...(times[command] ?? []), durationMs];
  return times;
};
