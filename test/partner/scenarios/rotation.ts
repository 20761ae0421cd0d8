import { expect } from 'vitest';
import type { KeptApiKey } from '../../../partner/client/api-key-rotation.ts';
import {
  type Action,
  type Answer,
  answer,
  forEach,
  json,
  nowMs,
  prefixed,
  problem,
  type Scenario,
  type Scenarios,
} from './scenario.ts';

const timeIn = (hours: number) => new Date(nowMs + hours * 3_600_000).toISOString();
const settings = { allowedCidrs: ['192.0.2.0/28'], label: 'North' };
const ownKey = (days: number, access = 'full') =>
  json(200, { keyId: 'k1', access, ...settings, expiresAt: timeIn(24 * days).replace(/\.\d+/, '') });
const created = json(201, { apiKey: 'new-key' });
const deleted = answer(204, '');
const spent = problem(409, 'idempotency-key-spent');

const old: KeptApiKey = { apiKey: 'old-key' };
const interrupted: KeptApiKey = { ...old, idempotencyKey: '0'.repeat(32) };
const replaced = (hoursAgo: number): KeptApiKey => ({ ...old, replaced: { keyId: 'k0', at: timeIn(-hoursAgo) } });

/** The first value and the second one of the generator of secrets: 128 bits as hexadecimal digits. */
const [firstValue, secondValue] = ['01'.repeat(16), '02'.repeat(16)];

// The steps of a rotation.
const keeps = (kept: KeptApiKey) => `keeps ${JSON.stringify(kept)}`;
const keepsValue = (value: string) => `reads, ${keeps({ ...old, idempotencyKey: value })}`;
const keepsNewKey = keeps({ apiKey: 'new-key', replaced: { keyId: 'k1', at: timeIn(0) } });
const readsKey = 'reads, GET /api-keys/me';
const creates = 'reads, POST /api-keys';
const deletes = 'DELETE /api-keys/k0';
/** The client keeps the value before the request that sends it, and the new key before its first use. */
const replaces = `${keepsValue(firstValue)}, ${creates}, ${keepsNewKey}, GET /api-keys/me`;
const continues = `${readsKey}, reads, ${creates}, ${keepsNewKey}, GET /api-keys/me`;

/** The requests of a replacement: with the old key, and then with the new one. */
const replacementWith = (value: string) => [
  { apiKey: 'old-key' },
  { apiKey: 'old-key', headers: { 'content-type': 'application/json', 'idempotency-key': value }, body: settings },
  { apiKey: 'new-key' },
];

type Rotate = Partial<Omit<Extract<Action, { do: 'rotate' }>, 'do'>>;

const rotating = (given: Rotate, answers: readonly Answer[], steps: string, outcome: object): Scenario => ({
  client: { apiKey: 'old-key' },
  program: [{ do: 'rotate', kept: old, ...given }],
  answers,
  steps,
  outcome,
});

const stays = { ok: true, isReplaced: false, keyInUse: 'old-key' };
const isReplaced = { ok: true, isReplaced: true, keyInUse: 'new-key' };
const failed = (step: string, code: string) => ({
  ok: false,
  code,
  keyInUse: 'old-key',
  detail: expect.stringMatching(`^${step}: A title`),
});

const ifDue: Scenarios = {
  'is replaced by one with the same addresses and the same label': {
    ...rotating({}, [ownKey(29), created, ownKey(180)], `${readsKey}, ${replaces}`, isReplaced),
    sent: replacementWith(firstValue),
  },
  'is replaced after the deletion of the previous key, even within the overlap': rotating(
    { kept: replaced(1) },
    [ownKey(29), deleted, created, ownKey(180)],
    `${readsKey}, ${deletes}, ${keeps(old)}, ${replaces}`,
    isReplaced,
  ),
};

const ifNotDue: Scenarios = {
  stays: rotating({}, [ownKey(31)], readsKey, stays),
  'leaves the previous key within the overlap': rotating({ kept: replaced(47) }, [ownKey(31)], readsKey, stays),
  ...forEach(
    [
      ['deletes the previous key after the overlap', { kept: replaced(49) }, deleted],
      ['deletes the previous key at once without an overlap', { kept: replaced(1), overlapHours: 0 }, deleted],
      ['forgets the previous key if it is gone', { kept: replaced(49) }, problem(404, 'api-key-not-found')],
    ] as const,
    ([name, given, last]) => [
      name,
      rotating(given, [ownKey(31), last], `${readsKey}, ${deletes}, ${keeps(old)}`, stays),
    ],
  ),
  'keeps the previous key in the state if the deletion is refused': rotating(
    { kept: replaced(49) },
    [ownKey(31), problem(403, 'company-suspended')],
    `${readsKey}, ${deletes}`,
    failed('Deleting the replaced key', 'company-suspended'),
  ),
};

const isDone = { ok: true, keyInUse: 'new-key' };
const atOnce = (answers: readonly Answer[], steps: string, outcome: object, kept = old) =>
  rotating({ isAtOnce: true, kept }, answers, steps, outcome);

const now: Scenarios = {
  'is replaced, whatever its expiry': atOnce([ownKey(100), created, ownKey(180)], `${readsKey}, ${replaces}`, isDone),
  'is replaced after the deletion of the previous key': atOnce(
    [deleted, ownKey(100), created, ownKey(180)],
    `reads, ${deletes}, ${keeps(old)}, GET /api-keys/me, ${replaces}`,
    isDone,
    replaced(1),
  ),
  'is replaced with the value of an interrupted run': {
    ...atOnce([ownKey(1), created, ownKey(180)], continues, isDone, interrupted),
    sent: replacementWith('0'.repeat(32)),
  },
  'is replaced with a new value if the kept one is spent': atOnce(
    [ownKey(1), spent, created, ownKey(180)],
    `${readsKey}, reads, ${creates}, ${replaces}`,
    isDone,
    interrupted,
  ),
  'stays if the new value is spent, too': atOnce(
    [ownKey(1), spent],
    `${readsKey}, ${keepsValue(firstValue)}, ${creates}, ${keepsValue(secondValue)}, ${creates}`,
    failed('Creating a key', 'idempotency-key-spent'),
  ),
  'stays if the creation is refused': atOnce(
    [ownKey(1), problem(409, 'api-key-limit-reached')],
    `${readsKey}, ${keepsValue(firstValue)}, ${creates}`,
    failed('Creating a key', 'api-key-limit-reached'),
  ),
  'stays in use if the new one does not work': atOnce(
    [ownKey(1), created, problem(401, 'api-key-invalid')],
    `${readsKey}, ${replaces}`,
    failed('Testing the new key', 'api-key-invalid'),
  ),
  'that does not work ends the rotation': atOnce(
    [problem(401, 'api-key-expired')],
    readsKey,
    failed('Reading the key in use', 'api-key-expired'),
  ),
  'that is read-only is rejected before a creation, with what to do': atOnce([ownKey(1, 'read')], readsKey, {
    ok: false,
    code: 'invalid-argument',
    detail: expect.stringMatching(/^The kept key k1 has read access only.*Rotate a key with full access/),
  }),
};

const firstRun = `${readsKey}, ${replaces}`.split(', ');
const whole = [ownKey(29), created, ownKey(180)];

/** The process crashes at a step of a replacement, and the next run continues from the kept state. */
const crashAt = (step: number): Scenario => {
  const done = firstRun.slice(0, step);
  const answered = whole.slice(0, done.filter((each) => each.includes(' /api-keys')).length);
  const [isValueKept, isNewKeyKept] = [done.some((each) => each.includes(firstValue)), done.includes(keepsNewKey)];
  return {
    client: { apiKey: 'old-key' },
    program: [1, 2].map(() => ({ do: 'rotate', kept: old })),
    answers: [...answered, ...(isNewKeyKept ? [ownKey(180)] : whole)],
    interruption: { step, by: 'crash' },
    steps: [...done, ...(isNewKeyKept ? [readsKey] : isValueKept ? [continues] : firstRun)].join(', '),
    outcome: {},
  };
};

const ofAnotherProcess = { apiKey: 'key-of-another-process', idempotencyKey: 'f'.repeat(32) };

/** Another process keeps another key before the read that is this step. */
const replacedAt = (step: number, scenario: Scenario): Scenario => ({
  ...scenario,
  interruption: { step, by: { keep: ofAnotherProcess } },
  outcome: { ok: true, keyInUse: ofAnotherProcess.apiKey },
});

const concurrent: Scenarios = {
  'before the value is kept': replacedAt(3, rotating({}, [ownKey(29)], `${readsKey}, reads, reads, reads`, {})),
  'after the value is kept': replacedAt(
    5,
    rotating({}, [ownKey(29)], `${readsKey}, ${keepsValue(firstValue)}, reads, reads`, {}),
  ),
  'before the value after a spent one is kept': replacedAt(
    6,
    atOnce([ownKey(1), spent], `${readsKey}, reads, ${creates}, reads, reads, reads`, {}, interrupted),
  ),
  'after the value after a spent one is kept': replacedAt(
    8,
    atOnce(
      [ownKey(1), spent],
      `${readsKey}, reads, ${creates}, ${keepsValue(firstValue)}, reads, reads`,
      {},
      interrupted,
    ),
  ),
};

export const rotation: Scenarios = {
  ...prefixed('a key that is due', ifDue),
  ...prefixed('a key that is not due', ifNotDue),
  ...prefixed('a key that is rotated at once', now),
  ...forEach([1, 2, 3, 4, 5, 6, 7, 8], (step) => [
    `a second run continues after a crash at step ${step}`,
    crashAt(step),
  ]),
  ...prefixed('a rotation ends with the key that another process kept', concurrent),
};
