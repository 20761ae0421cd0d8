import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endpoints, operationIds } from '../../lambdas/api/endpoints/endpoints.ts';
import { ratePolicies } from '../../lambdas/api/limits.ts';
import { type ArgumentName, controlRows } from '../../local/controls/controls.ts';
import { sendControl } from '../../local/controls/send-control.ts';
import { readChapters } from '../../partner/site/chapters.ts';
import { codeSamplesOf } from '../../partner/site/code-samples.ts';
import { proven } from '../support/campaign.ts';
import { companyOf, fleetOf, hasPython, openService, openShell, type Service } from '../support/service.ts';

let service: Service;
let shell: ReturnType<typeof openShell>;
beforeAll(async () => {
  service = await openService({ isWithoutFleet: false });
  shell = openShell(service);
});
afterAll(async () => {
  await service.close();
  shell.close();
});

/** Complete programs, which import what they need, are excluded; other tests run them. */
const isPartOfTheGuide = (block: string) => !/^import .* from |^from partner_api_client|http\.server/m.test(block);

/** Returns the blocks of a language by chapter. */
const chaptersIn = (language: 'ts' | 'python') =>
  readChapters()
    .filter(({ name }) => name !== 'client')
    .map(({ name, markdown }) => {
      const blocks = [...markdown.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'gm'))];
      return { name, blocks: blocks.map(([, block = '']) => block).filter(isPartOfTheGuide) };
    });

/** Returns the program of a reader who has followed the guide. */
const programIn = (language: 'ts' | 'python'): string =>
  chaptersIn(language)
    .flatMap(({ blocks }) => blocks)
    .join('\n');

/** What chapters know from the first call and from the changes. */
const known = {
  ts: [
    "headers['x-user-id'] = contract.body.userId;",
    "const gateway = '/hvacs/gw-1001';",
    "const heatingCircuit = '/hvacs/gw-1001/heatingCircuits/hc1';",
  ],
  python: [
    'headers["x-user-id"] = contract["userId"]',
    'gateway = "/hvacs/gw-1001"',
    'heating_circuit = "/hvacs/gw-1001/heatingCircuits/hc1"',
  ],
};

/** Returns a program for each chapter whose examples call the API. */
const programsIn = (language: 'ts' | 'python') => {
  const chapters = chaptersIn(language).filter(({ blocks }) => blocks.some((block) => /\bcall\(/.test(block)));
  const [first] = chapters.find(({ name }) => name === 'first-call')?.blocks ?? [];
  return chapters.map(({ name, blocks }) => {
    if (name === 'first-call') return blocks.join('\n');
    return [first, ...known[language].slice(0, name === 'changes' ? 2 : 3), ...blocks].join('\n');
  });
};

/** Arguments with which the controls, one after the other, permit all calls in the end. */
const words: Readonly<Record<ArgumentName, string>> = {
  gateway: 'gw-1001',
  function: 'heatingCircuits',
  code: 'F.12',
  celsius: '19.5',
  owner: 'owner-4711',
  company: 'acme',
  duration: '13d',
  status: '503',
};

const isKeyInUsage = /^[\w-]{16} (null|None) \S+ \d+$/;
const isOfUsage = [/^\d+ [A-Za-z]+ \//, /^\S+:00:00Z [A-Za-z]+ \{.*\}$/, isKeyInUsage];

const languages = [
  { language: 'ts', file: 'guide.mts', command: process.execPath, isThere: true },
  { language: 'python', file: 'guide.py', command: 'python3', isThere: hasPython },
] as const;

/** Returns a program that runs others one after the other: a process takes longer to start than to read. */
const programOf = (language: 'ts' | 'python', files: readonly string[]): string =>
  language === 'ts'
    ? files.map((file) => `await import('./${file}');`).join('\n')
    : `import runpy\n${files.map((file) => `runpy.run_path('${file}')`).join('\n')}`;

type Language = (typeof languages)[number];
const present = languages.filter(({ isThere }) => isThere);

const runIn = async ({ command, file }: Language, program: string, name: string = file): Promise<string[]> => {
  const { apiKey } = companyOf(service, 'acme');
  writeFileSync(join(shell.directory, name), program);
  const { stdout } = await promisify(execFile)(command, [name], {
    cwd: shell.directory,
    env: {
      PATH: process.env.PATH,
      BASE_URL: service.demo.baseUrl,
      API_KEY: apiKey,
      FLEET_KEY: fleetOf(service).apiKey,
      NODE_EXTRA_CA_CERTS: service.demo.caFile,
      SSL_CERT_FILE: service.demo.caFile,
    },
  });
  return stdout.trim().split('\n');
};

describe.each(present)('in $language', (row) => {
  const { language, file } = row;
  const run = (program: string) => runIn(row, program);

  test('the examples of the guide do what its text says', proven, async () => {
    const { owners } = fleetOf(service);
    const toBeAsked = owners.filter(({ consent }) => consent !== 'accepted');
    const granted = owners.filter(({ contract, consent }) => contract === 'active' && consent === 'accepted');
    const limited = Array(5).fill(expect.stringMatching(/^200 "gateway";r=[012];t=\d$/));
    const lines = await run(programIn(language));
    expect(lines.filter((line) => isKeyInUsage.test(line))).toHaveLength(2);
    // The listed paths and hours depend on when requests were last counted.
    expect(lines.filter((line) => !isOfUsage.some((pattern) => pattern.test(line)))).toEqual([
      `200 ${companyOf(service, 'acme').userId}`,
      ...[expect.stringMatching(/^hc1 \d+(\.\d+)?$/), 'hc2 broken'],
      ...['heatingCircuits/hc1 2', 'heatingCircuits/hc2 2', 'dhwCircuits/dhw1 3'],
      `${toBeAsked.length}`,
      `${granted.flatMap(({ gateways }) => gateways).length}`,
      'confirmed 21.5',
      expect.stringMatching(/^pending \d{4}-\d\d-\d\dT.*Z$/),
      '202 1.2',
      expect.stringMatching(/^202 .*\[ ?\{ ?'?level'?: 'eco', '?setpointCelsius'?: 17 ?\} ?\]$/),
      '202 Long evenings',
      ...[expect.stringMatching(/^"\d+"$/), '412 precondition-failed'],
      ...['202 23', 'ended', '202 pending', '16'],
      expect.stringMatching(/^-?\d+(\.\d)? celsius$/),
      expect.stringMatching(/^[78] [234]\.\d$/),
      expect.stringMatching(/^2[234] \d{4}-\d\d-\d\dT\d\d:00:00Z \d(\.\d+)?$/),
      companyOf(service, 'acme')
        .gateways.map(({ gatewayId }) => gatewayId)
        .join(' '),
      ...limited,
      ...['hc1 22', 'seen'],
      '1',
    ]);
  });

  test('the examples of reads in the reference work in the demo world', proven, async () => {
    const reads = operationIds.filter((each) => endpoints[each].method === 'GET');
    const files = reads.map((operationId) => {
      const sample = codeSamplesOf(operationId).find(({ lang }) => lang === language)?.source ?? '';
      writeFileSync(join(shell.directory, `${operationId}.${file}`), sample);
      return `${operationId}.${file}`;
    });
    // The examples of the guide may have emptied a bucket, and those of the reference do not wait.
    await setTimeout(ratePolicies.gateway.refillIntervalMs);
    const answers = await run(programOf(language, files));
    // The demo world has no webhook.
    const expected = (operationId: string) =>
      /^(getWebhook|listWebhookAttempts)/.test(operationId) ? /^404 .*webhook-not-found/ : /^200 \{/;
    expect(answers).toEqual(reads.map((operationId) => expect.stringMatching(expected(operationId))));
  });
});

// The last test, because the home is no longer as it was.
test.each(present)(
  'each example in $language survives all controls: it ends, or names a refusal',
  proven,
  async (row) => {
    const endings = programsIn(row.language).map((program, index) =>
      runIn(row, program, `chapter-${index}.${row.file}`).catch(({ stderr }) => stderr),
    );
    for (const [name, { takes }] of controlRows)
      await sendControl(service.directory, { name, words: takes.map((argument) => words[argument]) });
    const isRefusal = /Error: [A-Z]+ \/\S+: (4\d\d|503) \{"/;
    for (const ending of await Promise.all(endings)) if (!Array.isArray(ending)) expect(ending).toMatch(isRefusal);
    expect(endings.length).toBeGreaterThan(9);
  },
);
