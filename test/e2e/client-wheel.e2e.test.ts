import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operationIds } from '../../lambdas/api/endpoints/endpoints.ts';
import { signatureHeaders, webhookMessageOf } from '../../lambdas/domain/webhook-message.ts';
import { buildWheel, howToGetPython, pythonThatBuilds } from '../../partner/python/wheel.ts';
import { operationAt } from '../support/api-document.ts';
import { proven } from '../support/campaign.ts';
import { expectContract } from '../support/contract.ts';
import { exampleCalls, linesOf } from '../support/example-calls.ts';
import { companyOf, openService, type Service } from '../support/service.ts';
import { issueKey } from '../support/world.ts';

const python = pythonThatBuilds() ?? '';

/** A request and its answer, as Python prints them. */
type Exchange = {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** A client with long timeouts, because this machine can be slow. */
const patientClient = `
import json, os, re
import partner_api_client
from partner_api_client import transport

class PatientClient(partner_api_client.PartnerClient):
    def __init__(self, *given, **options):
        super().__init__(*given, **{"timeout_seconds": 1000, "patience_seconds": 1000, **options})
partner_api_client.PartnerClient = PatientClient
client = PatientClient(os.environ["BASE_URL"], os.environ["API_KEY"], os.environ["USER_ID"])
`;

const callsAll = `
from partner_api_client._generated.operations import OPERATIONS
exchanges = []
connections = transport.Connections()
def send(request, timeout_seconds):
    answer = connections(request, timeout_seconds)
    path = request.url[len(os.environ["BASE_URL"]):]
    body = answer.body.decode()
    exchanges.append({"method": request.method, "path": path, "status": answer.status, "headers": answer.headers, "body": body})
    return answer
client._send = send
for call in json.load(open("calls.json")):
    operation_id = call["operationId"]
    pattern = re.sub(r"\\{\\w+\\}", "([^/]+)", OPERATIONS[operation_id].path)
    ids = re.fullmatch(pattern, call["path"]).groups()
    method = getattr(client, re.sub("([A-Z])", lambda match: "_" + match[1].lower(), operation_id))
    try:
        method(*ids, *([call["body"]] if "body" in call else []))
    except partner_api_client.ProblemError as error:
        assert error.status == 404, error
print(json.dumps([each for each in exchanges if each["status"] != 429]))
`;

/** Runs the example of the feed in the README, and stops it when it has kept a cursor. */
const untilACursorIsKept = `
stopping = threading.Event()
keep = Cursors.keep
def keep_and_stop(self, cursor):
    keep(self, cursor)
    stopping.set()
Cursors.keep = keep_and_stop
follow(stopping)
print("stopped")
`;

const webhookSecret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;

/** Calls the webhook example of the README with a signed message and with an unsigned one. */
const sentTwice = () => {
  const message = webhookMessageOf({ webhookId: 'wh_1', state: 'enabled', code: 'c0de', asked: 1 }, Date.now());
  const signed = signatureHeaders(message, [webhookSecret]);
  return `
for headers in ${JSON.stringify([signed, {}])}:
    print(receive(headers, ${JSON.stringify(message.body)}.encode()))
`;
};

describe.skipIf(python === '')(`the wheel (to build it, ${howToGetPython})`, () => {
  let service: Service;
  const project = mkdtempSync(join(tmpdir(), 'partner-'));
  let wheel: string;
  beforeAll(async () => {
    service = await openService();
    wheel = buildWheel(project, python);
  });
  afterAll(async () => {
    await service?.close();
    rmSync(project, { recursive: true });
  });

  const run = async (program: string, variables = {}) => {
    const { baseUrl, caFile } = service.demo;
    const { apiKey, userId } = companyOf(service, 'acme');
    const env = {
      ...process.env,
      BASE_URL: baseUrl,
      API_KEY: apiKey,
      USER_ID: userId,
      SSL_CERT_FILE: caFile,
      // Python imports directly from a wheel.
      PYTHONPATH: wheel,
      ...variables,
    };
    writeFileSync(join(project, 'program.py'), program);
    return promisify(execFile)(python, ['program.py'], { cwd: project, env, maxBuffer: 2 ** 26 });
  };

  test('has a method for each operation, and the service answers each as the document says', proven, async () => {
    const calls = exampleCalls();
    expect(calls.map(({ operationId }) => operationId).toSorted()).toEqual([...operationIds].toSorted());
    writeFileSync(join(project, 'calls.json'), JSON.stringify(calls));
    const { stdout } = await run(patientClient + callsAll);
    const exchanges: Exchange[] = JSON.parse(stdout);
    for (const { method, path, status, headers, body } of exchanges) {
      const { operationId } = operationAt(method, path) ?? {};
      if (!operationId) throw new Error(`The client has called ${method} ${path}, which is no operation.`);
      expectContract(operationId, { status, headers, body: body ? JSON.parse(body) : undefined });
    }
    expect(linesOf(exchanges)).toEqual(linesOf(calls));
  });

  test('eight concurrent calls succeed, although some get a 429 first', proven, async () => {
    const { stdout } = await run(`${patientClient}
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(8) as pool:
    print([each.result().status for each in [pool.submit(client.get_contract) for _ in range(8)]])`);
    expect(stdout).toBe(`[${Array(8).fill(200).join(', ')}]\n`);
  });

  test('the examples of the README run', proven, async () => {
    const blocks = [...readFileSync('partner/client/README.md', 'utf8').matchAll(/```python\n(.*?)```/gs)];
    const [gateway] = companyOf(service, 'acme').gateways;
    const example = blocks
      .map(([, block]) => block)
      .join('\n')
      .replaceAll('gw-1001', gateway?.gatewayId ?? '');
    const old = await issueKey(service.local.store, 'acme', Date.now() - 160 * 86_400_000);
    writeFileSync(join(project, 'api-key.json'), JSON.stringify({ apiKey: old.apiKey }));
    const { stdout, stderr } = await run(patientClient + example + sentTwice() + untilACursorIsKept, {
      WEBHOOK_SECRETS: webhookSecret,
    });
    expect(stderr).toBe('');
    expect(stdout.split('\n')).toEqual([
      ...[/ online$/, / offline$/, / online$/].map((line) => expect.stringMatching(line)),
      ...Array(3).fill(expect.stringMatching(/^owner-4711 gw-\d+ \d$/)),
      ...[/^hc1 \d+ .+, At work$/, /^hc2 [\d.]+ At home, At work$/].map((line) => expect.stringMatching(line)),
      expect.stringMatching(/^-?[\d.]+ celsius 20.*Z$/),
      expect.stringMatching(/^pending "\d+"$/),
      'The key was replaced.',
      ...['There is something to read.', '204', '401'],
      'Reading the state of all gateways: begin',
      'stopped',
      '',
    ]);
    expect(readFileSync(join(project, 'cursor'), 'utf8')).toMatch(/^[\w-]+$/);
    expect(JSON.parse(readFileSync(join(project, 'api-key.json'), 'utf8'))).toMatchObject({
      replaced: { keyId: old.keyId },
    });
  });
});
