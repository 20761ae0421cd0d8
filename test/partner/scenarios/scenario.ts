import { expect } from 'vitest';
import type { KeptApiKey } from '../../../partner/client/api-key-rotation.ts';
import type { RequestParts } from '../../../partner/client/request.ts';

/**
 * A program of a partner, the answers of the service, and everything that a client then does. The clients for TypeScript and
 * for Python play the same scenarios. Names are those of TypeScript; the test of the client for Python converts them.
 */
export type Scenario = {
  /** Options of the client that differ from those of most scenarios. */
  readonly client?: {
    readonly baseUrl?: unknown;
    readonly apiKey?: unknown;
    readonly userId?: unknown;
    readonly patienceSeconds?: unknown;
    readonly timeoutSeconds?: unknown;
  };
  /** Whether the steps contain what the client says about its retries. */
  readonly showsRetries?: true;
  /** The actions of the program in turn. An action that fails does not end the program. */
  readonly program: readonly Action[];
  /** The answers to the requests in turn, the last of which repeats. By default, 200 with an empty object. */
  readonly answers?: readonly Answer[];
  /** The value that the random generator returns for the back-off, from 0 to 1. By default 0.5: waits 1, 2, 4 … seconds. */
  readonly random?: number;
  /** What happens at one of the steps, counted from 1. */
  readonly interruption?: {
    readonly step: number;
    /** A crash of the process, a stop by the program, a key that the program sets, or one that another process keeps. */
    readonly by: 'crash' | 'stop' | { readonly useApiKey: string } | { readonly keep: KeptApiKey };
  };
  /** Requests, waits and calls of the program's functions in order: `GET /contract, waits 1, GET /contract`. */
  readonly steps: string;
  /** The parts of each request that the scenario is about. A part is compared as a whole, for example all headers. */
  readonly sent?: readonly Partial<Sent>[];
  /** Members of the result of every action. By default, every action succeeds. */
  readonly outcome?: object;
};

export type Scenarios = Readonly<Record<string, Scenario>>;

/**
 * An answer, or a request that fails: `lost` without a reason, `timeout`, `cut` during the answer, `bug` in the function that
 * sends, or with the error code that Node.js has for the reason.
 */
export type Answer = Answered | { readonly fault: string };

export type Answered = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
};

/** A call. The client for Python has a method for each operation; `isUntyped` calls it by the id of the operation. */
export type Call = Omit<RequestParts, 'path'> & {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly operationId: string;
  readonly apiKey?: unknown;
  /** The owner of a client that the action `forOwner` created. */
  readonly owner?: string;
  readonly isUntyped?: true;
  readonly forever?: true;
};

export type Action =
  | ({ readonly do: 'call' } & Call)
  | { readonly do: 'forOwner'; readonly userId: unknown; readonly owner?: string }
  | { readonly do: 'useApiKey'; readonly apiKey: unknown }
  | ({ readonly do: 'readPages' } & Call)
  | { readonly do: 'readHome'; readonly gatewayId: string; readonly include?: 'circuits' }
  | { readonly do: 'readHomes'; readonly concurrency?: number }
  | {
      readonly do: 'follow';
      readonly kept?: string;
      readonly pageSize?: number;
      readonly hasUntilNext?: true;
      readonly forever?: true;
    }
  | {
      readonly do: 'rotate';
      readonly kept: KeptApiKey;
      readonly isAtOnce?: true;
      readonly overlapHours?: number;
    }
  | {
      readonly do: 'verify';
      readonly headers: Readonly<Record<string, string | string[] | undefined>>;
      readonly body: string;
      readonly isBytes?: true;
      readonly secrets: string | readonly string[];
      readonly nowMs?: number;
    }
  | { readonly do: 'settingsOf'; readonly circuit: object }
  | {
      readonly do: 'measurementOf';
      readonly measurements: readonly object[];
      readonly name: string;
      readonly componentId?: string;
    }
  | { readonly do: 'constants' };

/** A request as a client sends it. */
export type Sent = {
  readonly method: string;
  readonly url: string;
  readonly apiKey: string;
  readonly userId: string | null;
  /** All other headers, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly timeoutSeconds: number;
};

/** What a client did: the steps, with whole requests, and the outcome of each action. */
export type Played = { readonly steps: readonly (string | Sent)[]; readonly outcomes: readonly object[] };

/** The time of all scenarios, in milliseconds since 1970. */
export const nowMs = Date.parse('2036-03-10T12:00:00.750Z');
export const baseUrl = 'https://api.example.com/v1';
export const apiKey = `xHCSAPI_acme_20360915T120000Z_f3QnT7wLx0RkVb2Z_${'0'.repeat(49)}`;
export const userId = 'owner-4711';

/** Returns a scenario with its defaults. */
export const complete = (scenario: Scenario) => ({
  answers: [json(200, {})],
  random: 0.5,
  ...scenario,
  client: { baseUrl, apiKey, userId, ...scenario.client },
});

/** Compares what a client did with what its scenario expects. */
export const expectPlayed = ({ program, steps, sent, outcome = { ok: true } }: Scenario, played: Played) => {
  const lines = played.steps.map((step) => (typeof step === 'string' ? step : lineOf(step.method, step.url)));
  expect(lines.join(', ')).toBe(steps);
  const requests = played.steps.filter((step) => typeof step === 'object');
  if (sent) expect(requests).toEqual(sent.map((parts) => expect.objectContaining(parts)));
  expect(played.outcomes).toEqual(program.map(() => expect.objectContaining(outcome)));
};

/** Returns the step of a request: `GET /hvacs?cursor=c&limit=2`. Sorts the parameters, because their order means nothing. */
const lineOf = (method: string, url: string): string => {
  const [path = '', query] = url.replace(baseUrl, '').split('?');
  const parameters = new URLSearchParams(query);
  parameters.sort();
  return `${method} ${path}${parameters.size > 0 ? `?${parameters}` : ''}`;
};

/** Returns a scenario for each value: the function returns its name and the scenario. */
export const forEach = <Value>(
  values: readonly Value[],
  scenarioOf: (value: Value) => readonly [string, Scenario],
): Scenarios => Object.fromEntries(values.map(scenarioOf));

/** Returns the scenarios with longer names. */
export const prefixed = (prefix: string, scenarios: Scenarios): Scenarios =>
  forEach(Object.entries(scenarios), ([name, scenario]) => [`${prefix} ${name}`, scenario]);

export const call = (operationId: string, parts: Omit<Call, 'operationId'> = {}) => ({
  do: 'call' as const,
  operationId,
  ...parts,
});

export const answer = (status: number, text: string, headers: Readonly<Record<string, string>> = {}): Answered => ({
  status,
  headers,
  text,
});

export const json = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answered =>
  answer(status, JSON.stringify(body), { 'content-type': 'application/json', ...headers });

export const problem = (status: number, code: string, headers: Readonly<Record<string, string>> = {}): Answered =>
  json(status, problemBody(status, code), { 'content-type': 'application/problem+json', ...headers });

export const problemBody = (status: number, code: string) => ({
  code,
  status,
  title: 'A title',
  detail: 'A detail.',
  requestId: 'r',
});
