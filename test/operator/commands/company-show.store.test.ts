import { beforeAll, beforeEach, expect, test } from 'vitest';
import { auditPut } from '../../../lambdas/data/audit.ts';
import { transact } from '../../../lambdas/data/store/writes.ts';
import { toTimestamp } from '../../../lambdas/domain/time.ts';
import { operate, operateForJson } from '../../support/operator.ts';
import { operatorActOn } from '../../support/store.ts';
import { createRequestLog, type RequestLine } from '../../support/usage.ts';
import { onboard, openWorld, partiesOf, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
let companyId: string;
beforeAll(async () => {
  world = await openWorld();
});
beforeEach(async () => {
  ({ companyId } = await onboard(world.store));
});

const nowMs = startMs + 3_600_000;

const refusalAt = (minutes: number, reason: string, status = 403) => ({
  timestamp: toTimestamp(startMs + minutes * 60_000),
  companyId,
  operation: 'getContract',
  decision: 'refused',
  reason,
  status,
  requestId: `request-${minutes}`,
});

const optionsWith = (lines: readonly object[] = []) => {
  const log = createRequestLog(lines as readonly RequestLine[]);
  log.showUntil(nowMs);
  const none = async () => [];
  const queryLog = { requests: log.queryPage, access: none, consumers: none };
  return {
    ...world,
    nowMs,
    operator: 'arn:aws:sts::1:assumed-role/PartnerApi-prod-operator/jane',
    connection: { queryLog },
  };
};

const show = (lines: readonly object[] = []) => operateForJson(['company', 'show', companyId], optionsWith(lines));

const subjectIn = (output: { readonly access: readonly { readonly subject: string }[] }, subject: string) =>
  output.access.find((each) => each.subject === subject);

const change = (line: readonly string[], atMs = startMs) =>
  operate([...line, '--reason', 'OPS-1: floods', '--yes'], { ...optionsWith(), nowMs: atMs });

test('has since when, by whom and why the company is suspended, beside the first refusal because of it', async () => {
  expect((await change(['company', 'suspend', companyId])).exit).toBe('ok');
  const lines = [
    refusalAt(5, 'company-suspended'),
    refusalAt(9, 'company-suspended'),
    refusalAt(3, 'consent-outdated', 451),
    { ...refusalAt(1, 'company-suspended'), companyId: 'another' },
    { ...refusalAt(2, 'x'), reason: undefined, decision: 'allowed', status: 200 },
  ];
  const { output } = await show(lines);
  expect(subjectIn(output, 'state')).toMatchObject({
    lastChange: { operation: 'company suspend', reason: 'OPS-1: floods', operator: expect.stringMatching(/jane$/) },
    firstRefusal: toTimestamp(startMs + 300_200),
  });
  expect(subjectIn(output, 'grants')).toEqual({ subject: 'grants', lastChange: null, firstRefusal: null });
  expect(output.refusals).toMatchObject([
    { reason: 'company-suspended', requests: 2, lastRequestId: 'request-9' },
    { reason: 'consent-outdated', requests: 1, lastRequestId: 'request-3' },
  ]);
  const { stdout } = await operate(['company', 'show', companyId], optionsWith(lines));
  expect(stdout).toMatch(/state +suspended since 2036-03-10T\S+Z by jane: OPS-1: floods/);
  const [, keys = ''] = stdout.split('\n\n').filter((section) => !section.includes('DAYS LEFT'));
  expect(Math.max(...keys.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(100);
});

test('shows what the tables have if the log cannot be read, and why it cannot', async () => {
  const options = optionsWith();
  const requests = () => Promise.reject(new Error('Rate exceeded'));
  const withoutLog = { ...options, connection: { queryLog: { ...options.connection.queryLog, requests } } };
  expect((await change(['company', 'suspend', companyId])).exit).toBe('ok');
  const { exit, stdout } = await operate(['company', 'show', companyId], withoutLog);
  expect(exit).toBe('ok');
  expect(stdout).toMatch(/suspended since 2036-03-10T\S+Z by jane/);
  expect(stdout).toContain('The refusals could not be read from the log: Rate exceeded');
});

test('has the last change of keys, addresses, contract, consent and grants, with actor and ids', async () => {
  const lines = [
    ['contract', 'end', companyId],
    ['contract', 'open', companyId, '--user', partiesOf(companyId).userId],
    ['consent', 'withdraw', companyId],
    ['gateway', 'grant', companyId, 'gw-7'],
    ['gateway', 'revoke', companyId, 'gw-7'],
    ['key', 'issue', companyId],
  ];
  for (const [index, line] of lines.entries()) expect((await change(line, startMs + index * 1000)).exit).toBe('ok');
  const { output } = await show();
  for (const [subject, lastChange] of Object.entries({
    contract: { operation: 'contract open' },
    consent: { operation: 'consent withdraw' },
    grants: { operation: 'gateway revoke', gatewayId: 'gw-7' },
    keys: { operation: 'key issue' },
  }))
    expect(subjectIn(output, subject)).toMatchObject({ lastChange });
  expect(output.changesReadSince).toBeNull();
});

test('reads a bounded part of the audit log, and says from when on', async () => {
  const acts = Array.from({ length: 5100 }, (_, index) => startMs - index * 1000);
  for (let start = 0; start < acts.length; start += 100)
    await transact(
      world.store,
      Object.fromEntries(
        acts.slice(start, start + 100).map((atMs) => [
          String(atMs),
          auditPut(world.store, operatorActOn(companyId, atMs), {
            gatewayId: 'gw-1',
            after: { operationMode: 'off' },
          }),
        ]),
      ),
    );
  world.proxy.begin();
  const { output } = await show();
  // The onboarding has left a newer row.
  expect(output.changesReadSince).toBe(toTimestamp(startMs - 4998 * 1000));
  expect(world.proxy.exchanges.filter(({ input }) => JSON.stringify(input).includes('AuditLog'))).toHaveLength(5);
});
