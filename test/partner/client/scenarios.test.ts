import { describe, test, vi } from 'vitest';
import { RotationError, rotateApiKey, rotateApiKeyIfDue } from '../../../partner/client/api-key-rotation.ts';
import { EventsError, eventTypes, type FeedEvent } from '../../../partner/client/events.ts';
import { type Measurement, measurementOf, measurementUnits } from '../../../partner/client/measurements.ts';
import { pagesOf, readHome, readHomes } from '../../../partner/client/pages.ts';
import { type ClientOptions, createPartnerClient, type PartnerClient } from '../../../partner/client/partner-client.ts';
import type { RequestParts } from '../../../partner/client/request.ts';
import { settingsOf } from '../../../partner/client/settings.ts';
import { verifyWebhookMessage, WebhookMessageError } from '../../../partner/client/webhooks.ts';
import {
  type Action,
  complete,
  expectPlayed,
  nowMs,
  type Played,
  type Scenario,
  type Sent,
} from '../scenarios/scenario.ts';
import { subjects } from '../scenarios/scenarios.ts';

describe.each(Object.entries(subjects))('%s:', (_, scenarios) => {
  test.each(Object.entries(scenarios))('%s', async (_, scenario) => {
    expectPlayed(scenario, await play(scenario));
  });
});

/** Plays a scenario with the client for TypeScript. Sets the clock, the timeout and the random values of the platform. */
const play = async (scenario: Scenario): Promise<Played> => {
  const run = openRun(scenario);
  vi.useFakeTimers({ toFake: ['Date'], now: nowMs });
  vi.spyOn(Math, 'random').mockReturnValue(complete(scenario).random);
  let drawn = 0;
  vi.spyOn(crypto, 'getRandomValues').mockImplementation((bytes) => (bytes as Uint8Array).fill(++drawn) as never);
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(run.startTimer);
  vi.spyOn(console, 'warn').mockImplementation((text) => run.note(`warns: ${text}`));
  const outcomes: object[] = [];
  try {
    for (const action of scenario.program)
      outcomes.push(await perform(run, action).catch((error: unknown) => outcomeOfError(run, error)));
  } finally {
    vi.useRealTimers();
    vi.restoreAllMocks();
  }
  return { steps: run.steps, outcomes: withNulls(outcomes) };
};

/** Python has None where TypeScript has no member. */
const withNulls = (outcomes: object[]): object[] =>
  JSON.parse(JSON.stringify(outcomes, (_, value) => (value === undefined ? null : value)));

class Crash extends Error {}

type Run = ReturnType<typeof openRun>;

const openRun = (scenario: Scenario) => {
  const { answers, interruption, showsRetries, client: settings } = complete(scenario);
  const steps: (string | Sent)[] = [];
  const stopping = new AbortController();
  let timer = new AbortController();
  let timeoutSeconds = 0;
  let requests = 0;

  const note = (step: string | Sent) => {
    steps.push(step);
    if (steps.length > 80) throw new RangeError('The client does not come to an end.');
    if (steps.length !== interruption?.step) return;
    const { by } = interruption;
    if (by === 'crash') throw new Crash();
    if (by === 'stop') stopping.abort(new Error('stopped'));
    else if ('keep' in by) run.kept = by.keep;
    else run.clientOf().useApiKey(by.useApiKey);
  };

  const send = async (url: unknown, init: RequestInit = {}): Promise<Response> => {
    const {
      'x-api-key': apiKey,
      'x-user-id': userId = null,
      ...headers
    } = Object.fromEntries(new Headers(init.headers));
    const body = init.body ? JSON.parse(String(init.body)) : null;
    const answer = answers[Math.min(++requests, answers.length) - 1] as (typeof answers)[number];
    note({ method: `${init.method}`, url: `${url}`, apiKey, userId, headers, body, timeoutSeconds } as Sent);
    if ('fault' in answer) return fail(answer.fault, init.signal);
    if (answer.headers.location && init.redirect !== 'manual') return send(answer.headers.location, init);
    // Bytes, because a string would get a media type.
    return new Response(answer.text === '' ? null : new TextEncoder().encode(answer.text), answer);
  };

  const fail = (fault: string, signal: RequestInit['signal']): Response => {
    if (fault === 'cut') {
      run.failure = new TypeError('terminated');
      return new Response(new ReadableStream({ pull: (controller) => controller.error(run.failure) }));
    }
    if (fault === 'timeout') timer.abort(new DOMException('The operation timed out', 'TimeoutError'));
    run.failure = failureOf(fault, signal);
    throw run.failure;
  };

  const clients: Record<string, PartnerClient> = {};
  const run = {
    steps,
    note,
    failure: undefined as unknown,
    kept: undefined as Extract<Action, { do: 'rotate' }>['kept'] | undefined,
    stopped: stopping.signal,
    signal: interruption?.by === 'stop' ? { signal: stopping.signal } : {},
    startTimer: (ms: number) => {
      // The platform refuses other numbers.
      if (!Number.isInteger(ms)) throw new RangeError(`${ms} is not an integer.`);
      timer = new AbortController();
      timeoutSeconds = ms / 1000;
      return timer.signal;
    },
    clients,
    clientOf: (owner = ''): PartnerClient => {
      clients[owner] ??= createPartnerClient({
        ...(settings as ClientOptions & { userId: string }),
        fetch: send,
        ...(showsRetries && {
          onRetry: ({ operationId, attempt, problem, waitSeconds }) =>
            note(`retry ${attempt} of ${operationId} after ${problem.code} in ${waitSeconds}`),
        }),
        wait: async (seconds, signal) => {
          note(`waits ${seconds}`);
          signal?.throwIfAborted();
        },
      });
      return clients[owner];
    },
  };
  return run;
};

/** Returns the error of fetch; Node.js has the reason of a failed connection in `cause`. */
const failureOf = (fault: string, signal: RequestInit['signal']): unknown => {
  if (fault === 'timeout') return signal?.reason;
  if (fault === 'bug') return new RangeError('A fault of the program.');
  if (fault === 'lost') return new TypeError('fetch failed');
  return new TypeError('fetch failed', { cause: Object.assign(new Error(`The reason is ${fault}`), { code: fault }) });
};

type AnyAnswer = { readonly ok: boolean; readonly problem?: object; readonly body?: unknown };
type AnyCall = (operationId: string, request?: object) => Promise<AnyAnswer>;
type AnyPages = (client: PartnerClient, operationId: string, request: RequestParts) => AsyncIterable<AnyAnswer>;

const perform = async (run: Run, action: Action): Promise<object> => {
  if (action.do === 'call') {
    const { do: _, operationId, owner, isUntyped, ...request } = action;
    return outcomeOf(run, await (run.clientOf(owner).call as AnyCall)(operationId, { ...request, ...run.signal }));
  }
  if (action.do === 'forOwner') {
    run.clients[`${action.userId}`] = run.clientOf(action.owner).forOwner(action.userId as string);
    return { ok: true };
  }
  if (action.do === 'useApiKey') {
    run.clientOf().useApiKey(action.apiKey as string);
    return { ok: true };
  }
  if (action.do === 'readPages') {
    const { do: _, operationId, ...request } = action;
    let last: object = {};
    for await (const answer of (pagesOf as unknown as AnyPages)(run.clientOf(), operationId, request as RequestParts)) {
      last = outcomeOf(run, answer);
      if (answer.ok) run.note(`page ${(answer.body as { items: string[] }).items}`);
    }
    return last;
  }
  if (action.do === 'readHome') {
    const { gatewayId, include } = action;
    return outcomeOf(run, await readHome(run.clientOf(), gatewayId, include && { include }));
  }
  if (action.do === 'readHomes') {
    const { concurrency } = action;
    let last: object = { ok: true };
    for await (const { userId, gatewayId, answer } of readHomes(run.clientOf(), concurrency ? { concurrency } : {})) {
      if (userId === undefined) last = outcomeOf(run, answer);
      else run.note(`${userId} ${gatewayId} ${answer.ok || answer.problem.code}`);
    }
    return last;
  }
  if (action.do === 'follow') return follow(run, action);
  if (action.do === 'rotate') return rotate(run, action);
  if (action.do === 'verify') {
    const { headers, body, isBytes, secrets, nowMs: now } = action;
    const given = { headers, body: isBytes ? new TextEncoder().encode(body) : body };
    return { ok: true, value: await verifyWebhookMessage(given, secrets, now === undefined ? {} : { nowMs: now }) };
  }
  if (action.do === 'settingsOf') return { ok: true, value: settingsOf(action.circuit as never) };
  if (action.do === 'measurementOf') {
    const { measurements, name, componentId } = action;
    return { ok: true, value: measurementOf(measurements as Measurement[], name, componentId) };
  }
  return { ok: true, eventTypes, measurementUnits };
};

const follow = async (run: Run, action: Extract<Action, { do: 'follow' }>): Promise<object> => {
  const { kept, pageSize, hasUntilNext, forever } = action;
  const events: FeedEvent[] = [];
  const following = run.clientOf().events({
    cursors: { read: async () => kept, keep: async (cursor) => run.note(`keeps ${cursor}`) },
    readState: async (because) => run.note(`reads state: ${because}`),
    ...(pageSize && { pageSize }),
    ...(forever && { forever }),
    ...(hasUntilNext && { untilNext: async () => run.note('waits for the program') }),
    ...run.signal,
  });
  try {
    for await (const event of following) {
      events.push(event);
      run.note(event.id);
    }
  } catch (error) {
    return { ...outcomeOfError(run, error), events };
  }
  return { ok: true };
};

const rotate = async (run: Run, action: Extract<Action, { do: 'rotate' }>): Promise<object> => {
  run.kept ??= action.kept;
  let keyInUse = action.kept.apiKey;
  const client = {
    ...run.clientOf(),
    useApiKey: (apiKey: string) => {
      keyInUse = apiKey;
      run.clientOf().useApiKey(apiKey);
    },
  };
  const store = {
    read: async () => {
      run.note('reads');
      return run.kept ?? action.kept;
    },
    keep: async (kept: typeof action.kept) => {
      run.kept = kept;
      run.note(`keeps ${JSON.stringify(kept)}`);
    },
  };
  const { isAtOnce, overlapHours } = action;
  try {
    if (isAtOnce) await rotateApiKey(client, store);
    const isReplaced = isAtOnce
      ? null
      : await rotateApiKeyIfDue(client, store, overlapHours === undefined ? {} : { overlapHours });
    return { ok: true, isReplaced, keyInUse };
  } catch (error) {
    return { ...outcomeOfError(run, error), keyInUse };
  }
};

/** Returns the members of an answer, and those of its problem. */
const outcomeOf = (run: Run, answer: AnyAnswer): object => {
  const { problem = {} } = answer;
  return { ...problem, ...answer, isCauseKept: 'cause' in problem && problem.cause === run.failure };
};

const outcomeOfError = (run: Run, error: unknown): object => {
  const { message: detail } = error as Error;
  if (error === run.stopped.reason) return { ok: false, code: 'stopped' };
  if (error instanceof Crash) return { ok: false, code: 'crash' };
  if (error instanceof WebhookMessageError) return { ok: false, code: error.refusal };
  if (error instanceof RotationError || error instanceof EventsError)
    return { ...outcomeOf(run, error.answer), detail };
  return { ok: false, code: error instanceof TypeError ? 'invalid-argument' : 'error', detail };
};
