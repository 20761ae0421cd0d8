import type { EventContent } from '../../api/events/event.ts';
import type { RequestEvent } from '../../api/events/request-event.ts';
import { decisionOf } from '../../api/metrics.ts';
import { LostEventsProblem } from '../../api/problem.ts';
import { writeEvent } from '../../data/event-log.ts';
import type { StoreCall } from '../../data/store/store-timing.ts';
import { faultFields } from '../../domain/fault-fields.ts';
import type { NamedEndpoint } from '../steps/step.ts';
import { type Middleware, type MiddyRequest, RefusedError } from './middleware.ts';
import { toProblem } from './problem-response.ts';

/**
 * Writes one event per request: when, who, for whom, at what, how it was decided and what took how long, with the metrics
 * that follow from it. It names the key by its id only, and shows an error only if it is ours.
 */
export const requestLog = ({ operationId, onBehalfOfUser, countedAs }: NamedEndpoint): Middleware => {
  const initMs = Math.round(performance.now());
  let isColdStart = true;

  const write = ({ context, response, error }: MiddyRequest) => {
    const { facts, environment, startedMs, storeCalls } = context;
    const problem = error && toProblem(error);
    const decision = decisionOf(problem?.code);
    const isCanary = facts.key?.companyId === environment.setting('canaryCompanyId');
    const hasChanged = storeCalls.some(isChange);
    const event = {
      level: decision === 'failed' ? 'ERROR' : 'INFO',
      requestId: facts.requestId,
      operation: operationId,
      decision,
      reason: problem?.code,
      // Without a key it was the bound on invalid keys, which is no rate policy.
      ratePolicy: decision === 'limited' && facts.key ? facts.ratePolicy : undefined,
      status: response?.statusCode,
      companyId: facts.key?.companyId,
      keyId: facts.key?.keyId,
      userId: onBehalfOfUser ? facts.contract?.userId : undefined,
      gatewayId: facts.pathIds?.gatewayId,
      path: facts.rateLimitKey?.path,
      durationMs: Math.round(performance.now() - startedMs),
      storeMs: timesByCommand(storeCalls),
      memoryMb: Math.ceil(process.memoryUsage.rss() / bytesPerMegabyte),
      ...(error && !(error instanceof RefusedError) && faultFields(error)),
      Requests: 1,
      CanaryServed: isCanary && decision === 'allowed' ? 1 : undefined,
      InitMs: isColdStart ? initMs : undefined,
      AuditWriteFailures: hasChanged ? (decision === 'failed' ? 1 : 0) : undefined,
      LostFeedPages: operationId === 'listEvents' ? (problem instanceof LostEventsProblem ? 1 : 0) : undefined,
      ...(countedAs && decision === 'allowed' && hasChanged && { [facts.isRepeat ? 'keysShownAgain' : countedAs]: 1 }),
    } satisfies EventContent<RequestEvent>;
    writeEvent(environment, facts.nowMs, event);
    isColdStart = false;
  };
  return { after: write, onError: write };
};

const bytesPerMegabyte = 1024 ** 2;

/** All that is put on record is a transaction, and each of those holds its audit row. */
const isChange = ({ command }: StoreCall) => command === 'TransactWriteItems';

/** `{ BatchGetItem: [3], UpdateItem: [2, 4] }` */
const timesByCommand = (calls: readonly StoreCall[]): Record<string, number[]> => {
  const times: Record<string, number[]> = {};
  for (const { command, durationMs } of calls) times[command] = [...(times[command] ?? []), durationMs];
  return times;
};
