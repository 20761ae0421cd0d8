import { beforeAll, expect, test } from 'vitest';
import { type KeptApiKey, rotateApiKey, rotateApiKeyIfDue } from '../../../partner/client/api-key-rotation.ts';
import { json, problem, type Scripted, scriptedClient } from '../client/scripted.ts';
import { playScripted, python, rowsOf } from './driver.ts';

// Both clients play the same scenarios. The TypeScript client, which has its own tests, defines the expected results.

class Ended extends Error {}

type RotationScenario = {
  readonly kept: KeptApiKey;
  readonly how: 'if due' | 'at once';
  readonly overlapHours?: number;
  readonly lastStep?: number;
  /** The read of the kept state before which another process replaces the key. */
  readonly replacedBeforeRead?: number;
  readonly script: readonly Scripted[];
};

const ownKey = (days: number, access = 'full') =>
  json(200, {
    keyId: 'k1',
    access,
    allowedCidrs: ['192.0.2.0/28'],
    label: 'North',
    expiresAt: `${new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 19)}Z`,
  });
const created = json(201, { apiKey: 'new-key' });
const deleted = new Response(null, { status: 204 });
const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
const replaced = (hours: number) => ({ keyId: 'k0', at: hoursAgo(hours) });
const old: KeptApiKey = { apiKey: 'old-key' };

const rotations: Readonly<Record<string, RotationScenario>> = {
  'a key that is due': { how: 'if due', kept: old, script: [ownKey(29), created, ownKey(180)] },
  'a key that is not due': { how: 'if due', kept: old, script: [ownKey(31)] },
  'a replaced key within the overlap': {
    how: 'if due',
    kept: { ...old, replaced: replaced(47) },
    script: [ownKey(31)],
  },
  'a replaced key after the overlap': {
    how: 'if due',
    kept: { ...old, replaced: replaced(49) },
    script: [ownKey(31), deleted],
  },
  'a replaced key without an overlap': {
    how: 'if due',
    overlapHours: 0,
    kept: { ...old, replaced: replaced(1) },
    script: [ownKey(31), deleted],
  },
  'a replaced key that is gone': {
    how: 'if due',
    kept: { ...old, replaced: replaced(49) },
    script: [ownKey(31), problem(404, 'api-key-not-found')],
  },
  'a deletion that is refused': {
    how: 'if due',
    kept: { ...old, replaced: replaced(49) },
    script: [ownKey(31), problem(403, 'company-suspended')],
  },
  'a key that is due within the overlap': {
    how: 'if due',
    kept: { ...old, replaced: replaced(1) },
    script: [ownKey(29), deleted, created, ownKey(180)],
  },
  'at once': { how: 'at once', kept: old, script: [ownKey(100), created, ownKey(180)] },
  'at once, with a replaced key': {
    how: 'at once',
    kept: { ...old, replaced: replaced(1) },
    script: [deleted, ownKey(100), created, ownKey(180)],
  },
  'a value that is kept': {
    how: 'at once',
    kept: { ...old, idempotencyKey: '0'.repeat(32) },
    script: [ownKey(1), created, ownKey(180)],
  },
  'a value that is spent': {
    how: 'at once',
    kept: { ...old, idempotencyKey: '0'.repeat(32) },
    script: [ownKey(1), problem(409, 'idempotency-key-spent'), created, ownKey(180)],
  },
  'a creation that is refused': {
    how: 'at once',
    kept: old,
    script: [ownKey(1), problem(409, 'api-key-limit-reached')],
  },
  'a new key that does not work': {
    how: 'at once',
    kept: old,
    script: [ownKey(1), created, problem(401, 'api-key-invalid')],
  },
  'a key that may only read': { how: 'at once', kept: old, script: [ownKey(1, 'read')] },
  ...Object.fromEntries(
    [1, 2, 3, 4, 5].map((lastStep) => [
      `a process that dies after step ${lastStep}`,
      { how: 'if due', kept: old, lastStep, script: [ownKey(29), created, ownKey(180)] } as const,
    ]),
  ),
  ...Object.fromEntries(
    [2, 3].map((replacedBeforeRead) => [
      `a key that another process replaces before read ${replacedBeforeRead}`,
      { how: 'if due', kept: old, replacedBeforeRead, script: [ownKey(29), created] } as const,
    ]),
  ),
  ...Object.fromEntries(
    [4, 5].map((replacedBeforeRead) => [
      `a spent value, and a key that another process replaces before read ${replacedBeforeRead}`,
      {
        how: 'at once',
        kept: { ...old, idempotencyKey: '0'.repeat(32) },
        replacedBeforeRead,
        script: [ownKey(1), problem(409, 'idempotency-key-spent'), created],
      } as const,
    ]),
  ),
};

const rotate = async ({ kept, how, overlapHours = 48, lastStep, replacedBeforeRead, script }: RotationScenario) => {
  const history = [kept];
  let steps = 0;
  let reads = 0;
  const step = <Result>(result: Result): Result => {
    if (++steps === lastStep) throw new Ended();
    return result;
  };
  const scripted = scriptedClient(script, { apiKey: kept.apiKey });
  let key = kept.apiKey;
  const client = {
    ...scripted.client,
    call: async (...given: Parameters<typeof scripted.client.call>) => step(await scripted.client.call(...given)),
    useApiKey: (next: string) => {
      key = next;
    },
  };
  const store = {
    read: async () => {
      if (++reads === replacedBeforeRead) history.push({ apiKey: 'key-of-another-process' });
      return history.at(-1) as KeptApiKey;
    },
    keep: async (next: KeptApiKey) => {
      history.push(next);
      step(undefined);
    },
  };
  const act =
    how === 'if due'
      ? rotateApiKeyIfDue(client as never, store, { overlapHours })
      : rotateApiKey(client as never, store);
  const result = await act.catch((error: Error & { answer?: { problem: { code: string } } }) => {
    if (error instanceof Ended) return 'crash';
    if (error instanceof TypeError) return 'fault of the call';
    return `RotationError: ${error.message.split(':')[0]}: ${error.answer?.problem.code}`;
  });
  const sent = scripted.sent.map(({ url, init, headers }) => ({
    method: init.method,
    url,
    headers: Object.fromEntries(headers),
    body: JSON.parse(String(init.body ?? null)),
  }));
  return { history, sent, result: result ?? null, key };
};

/** Replaces random values and times, which differ between the clients. */
const comparable = (played: object) =>
  JSON.parse(JSON.stringify(played), (name, value) => {
    if (/^idempotency-?key$/i.test(name)) return /^(?!0{32})[0-9a-f]{32}$/.test(value) ? 'a new value' : value;
    if (name === 'at') return Math.abs(Date.parse(value) - Date.now()) < 600_000 ? 'now' : value;
    return value;
  });

python('a rotation in Python:', () => {
  let played: object[];
  beforeAll(async () => {
    played = await playScripted('rotation', Object.values(rotations));
  });

  test.each(rowsOf(rotations))(
    '%s has the same kept states, requests and result as in TypeScript',
    async (_, scenario, index) => {
      expect(comparable(played[index] ?? {})).toEqual(comparable(await rotate(scenario)));
    },
  );
});
