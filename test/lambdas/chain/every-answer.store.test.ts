import { createCloudWatch } from 'serve-stack/cloudwatch';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { savedQueries } from '../../../infra/monitoring/log-queries.ts';
import { maxLabelCharacters } from '../../../lambdas/api/limits.ts';
import { deleteApiKey } from '../../../lambdas/data/api-keys/api-key-deletion.ts';
import { defaultKeyOptions } from '../../../lambdas/domain/api-key.ts';
import { createProcessMemory } from '../../../lambdas/runtime/process-memory.ts';
import {
  type CallOptions,
  call,
  type EquippedCompany,
  equipCompany,
  forgedKey,
  goodCall,
  readRequestEvent,
} from '../../support/call.ts';
import { operatorActOn } from '../../support/store.ts';
import { injectFault, issueKey, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const maxLineBytes = 1024;

const withoutMemory = () => ({ ...world.environment, memory: createProcessMemory() });

/** Returns the log lines of one call, as text and parsed. */
const linesOf = async (operationId: Parameters<typeof call>[0], options: CallOptions, canaryCompanyId = '-') => {
  const from = options.environment ?? world.environment;
  const lines: string[] = [];
  const setting: typeof world.environment.setting = (name) =>
    name === 'canaryCompanyId' ? (canaryCompanyId as never) : from.setting(name);
  const environment = { ...from, setting, log: (line: string) => void lines.push(line) };
  await call(operationId, { ...options, environment });
  return lines;
};

describe('a request leaves one line', () => {
  test('with the time, the company, the owner, the operation and the outcome', async () => {
    const company = await equipCompany(world.store);
    const [line = '', ...more] = await linesOf('getHeatingCircuit', goodCall('getHeatingCircuit', company));
    expect(more).toEqual([]);
    expect(JSON.parse(line)).toMatchObject({
      level: 'INFO',
      timestamp: new Date(startMs).toISOString().replace('.000', ''),
      requestId: expect.any(String),
      operation: 'getHeatingCircuit',
      path: `/hvacs/${company.gatewayId}/heatingCircuits/c1`,
      companyId: company.companyId,
      keyId: company.key.keyId,
      userId: company.contract.userId,
      status: 200,
      durationMs: expect.any(Number),
    });
  });

  test('that names the problem of a refusal, and nothing that the client claimed to be', async () => {
    const company = await equipCompany(world.store);
    const refused = { ...goodCall('getGateway', company), headers: { 'x-user-id': ['somebody-else'] } };
    const [line = ''] = await linesOf('getGateway', refused);
    expect(JSON.parse(line)).toMatchObject({
      level: 'INFO',
      status: 403,
      decision: 'refused',
      reason: 'user-id-mismatch',
    });
    expect(line).not.toContain('somebody-else');
  });

  const floodingAddress = '192.0.2.1';
  const unproven = { headers: { 'x-user-id': ['somebody-else'] }, pathParameters: { gatewayId: 'gw-claimed' } };

  test.each<[string, (company: EquippedCompany) => Partial<CallOptions> | Promise<Partial<CallOptions>>]>([
    ['made up', ({ companyId }) => ({ apiKey: forgedKey(companyId) })],
    ['made up for the id of another', ({ companyId, key }) => ({ apiKey: forgedKey(companyId, key.keyId) })],
    ['expired', ({ key }) => ({ nowMs: key.expiresAtMs })],
    ['not of a valid form', ({ companyId }) => ({ apiKey: forgedKey(companyId).slice(0, -1) })],
    ['one too many from its address', ({ companyId }) => ({ apiKey: forgedKey(companyId), ...fromFlood() })],
    [
      'deleted',
      async ({ companyId, keys: [, other] }) => {
        await deleteApiKey(world.store, operatorActOn(companyId), other?.keyId ?? '');
        return { apiKey: other?.apiKey ?? '' };
      },
    ],
  ])('that counts for no company and no key if the key is %s', async (_, changed) => {
    const company = await equipCompany(world.store);
    const options = { ...goodCall('getGateway', company), ...unproven, ...(await changed(company)) };
    const [line = ''] = await linesOf('getGateway', options, company.companyId);
    const { companyId, keyId, userId, CanaryServed, reason } = JSON.parse(line);
    expect({ companyId, keyId, userId, CanaryServed }).toEqual({});
    expect(reason).toMatch(/^(api-key-(invalid|expired)|rate-limit-exceeded)$/);
    for (const claimed of [company.companyId, company.key.keyId, 'somebody-else']) expect(line).not.toContain(claimed);
  });

  /** Returns the environment of a process to which an address has sent too many invalid keys. */
  const floodedProcess = () => {
    const memory = createProcessMemory();
    memory.invalidKeys.put(floodingAddress, startMs + 3_600_000);
    return { ...world.environment, memory, processTimeMs: () => startMs };
  };
  const fromFlood = () => ({ sourceIp: floodingAddress, environment: floodedProcess() });

  test.each<[string, string | undefined, (company: EquippedCompany) => Partial<CallOptions>]>([
    ['that of its path', 'time-program', () => ({})],
    [
      'that of gateways outside of the contract',
      'general',
      () => ({ pathParameters: { gatewayId: 'gw-unknown', circuitId: 'c1', timeProgramId: 't1' } }),
    ],
    [
      'none, if it was the limit on invalid keys of an address',
      undefined,
      ({ companyId }) => ({ apiKey: forgedKey(companyId), sourceIp: floodingAddress }),
    ],
  ])('that names the rate policy that limited it: %s', async (_, ratePolicy, changed) => {
    const company = await equipCompany(world.store);
    const options = { ...goodCall('updateHeatingTimeProgram', company), ...changed(company) };
    const oneProcess = floodedProcess();
    const limited = [];
    // The last process has an empty memory.
    for (const environment of [...Array(7).fill(oneProcess), floodedProcess()]) {
      const [line = ''] = await linesOf('updateHeatingTimeProgram', { ...options, environment });
      const event = JSON.parse(line);
      if (event.decision === 'limited') limited.push(event.ratePolicy);
      else expect(event).not.toHaveProperty('ratePolicy');
    }
    expect(limited.length).toBeGreaterThan(1);
    expect(new Set(limited)).toEqual(new Set([ratePolicy]));
  });

  test('with a key’s access and label, which the query of a partner’s keys shows, unless they are default', async () => {
    const company = await equipCompany(world.store);
    const { companyId } = company;
    // Characters that could break a log line, JSON or a query.
    const keyLabel = String.raw`"}\n{' | stats count(*) €`;
    const usual = await issueKey(world.store, companyId);
    const reader = await issueKey(world.store, companyId, startMs, {
      access: 'read',
      allowedCidrs: null,
      label: keyLabel,
    });
    const lines = [];
    for (const { apiKey } of [usual, reader])
      lines.push(...(await linesOf('getContract', { ...goodCall('getContract', company), apiKey })));
    const [ofUsual = '', ofReader = ''] = lines;
    expect(ofUsual).not.toMatch(/keyAccess|keyLabel/);
    expect(readRequestEvent(ofReader).event).toMatchObject({ keyAccess: 'read', keyLabel });

    const cloudWatch = createCloudWatch({
      template: { Resources: {} } as never,
      resolve: ((value: unknown) => value) as never,
    });
    for (const message of lines)
      cloudWatch.putLogEvent({ logGroup: 'requests', atMs: startMs, message: message.trimEnd() });
    const query = savedQueries['partner-keys'].query.replace('put the companyId here', companyId);
    const { columns, rows } = cloudWatch.queryLogs(query, ['requests'], { fromMs: startMs, toMs: startMs + 1000 });
    expect(columns.slice(0, 3)).toEqual(['keyId', 'keyAccess', 'keyLabel']);
    expect(rows.map((row) => row.slice(0, 4)).toSorted()).toEqual(
      [
        [usual.keyId, '', '', '1'],
        [reader.keyId, 'read', keyLabel, '1'],
      ].toSorted(),
    );
  });

  test('of at most 1 kB, even for the longest ids and a failure of ours', async () => {
    const company = await equipCompany(world.store);
    const label = '\u{1f525}'.repeat(maxLabelCharacters / 2);
    const { apiKey } = await issueKey(world.store, company.companyId, startMs, { ...defaultKeyOptions, label });
    const good = { ...goodCall('updateHeatingTimeProgram', company), apiKey };
    const longest = { circuitId: 'x'.repeat(64), timeProgramId: 'y'.repeat(64) };
    injectFault(world, ({ action }) => (action === 'PutItem' ? 'throttle' : undefined));
    const options = { ...good, pathParameters: { ...good.pathParameters, ...longest } };
    const lines = await linesOf('updateHeatingTimeProgram', options);
    expect(lines.length).toBe(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'ERROR', status: 503, keyLabel: label });
    expect(Buffer.byteLength(lines[0] ?? '')).toBeLessThanOrEqual(maxLineBytes);
  });

  test('with the duration of each store call, in order, if it was slow', async () => {
    const company = await equipCompany(world.store);
    const slow = { ...goodCall('updateDhwCircuit', company), environment: withoutMemory() };
    let elapsedMs = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => (elapsedMs += 50));
    onTestFinished(() => void vi.restoreAllMocks());
    const [line = ''] = await linesOf('updateDhwCircuit', slow);
    expect(JSON.parse(line)).toMatchObject({
      decision: 'allowed',
      storeMs: {
        GetItem: [expect.any(Number)],
        BatchGetItem: [expect.any(Number), expect.any(Number)],
        TransactWriteItems: [expect.any(Number)],
      },
    });
  });

  test('that counts a change whose transaction failed, and no other request', async () => {
    const company = await equipCompany(world.store);
    const change = goodCall('updateHeatingCircuit', company);
    const [made = ''] = await linesOf('updateHeatingCircuit', change);
    expect(JSON.parse(made)).toMatchObject({ decision: 'allowed', AuditWriteFailures: 0 });
    const [read = ''] = await linesOf('getHeatingCircuit', goodCall('getHeatingCircuit', company));
    expect(JSON.parse(read)).not.toHaveProperty('AuditWriteFailures');
    injectFault(world, ({ action }) => (action === 'TransactWriteItems' ? 'throttle' : undefined));
    const [failed = ''] = await linesOf('updateHeatingCircuit', change);
    expect(JSON.parse(failed)).toMatchObject({ decision: 'failed', AuditWriteFailures: 1 });
  });

  test('that never contains the key', async () => {
    const company = await equipCompany(world.store);
    const { apiKey } = company.key;
    for (const headers of [{}, { 'X-Api-Key': [apiKey] }, { cookie: [apiKey] }]) {
      const lines = await linesOf('createApiKey', { apiKey, headers, requestId: 'r' });
      expect(lines.join('')).not.toContain(apiKey.slice(-49));
    }
  });
});
