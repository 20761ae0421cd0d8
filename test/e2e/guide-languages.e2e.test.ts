import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { endpoints, operationIds } from '../../lambdas/api/endpoints/endpoints.ts';
import { readChapters } from '../../partner/site/chapters.ts';
import { codeSamplesOf } from '../../partner/site/code-samples.ts';
import { campaign, provenTest } from '../support/campaign.ts';
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

/** Returns the blocks of a language from all chapters in order: the program of a reader who has followed the guide. */
const programIn = (language: 'ts' | 'python'): string =>
  readChapters()
    .filter(({ name }) => name !== 'client')
    .flatMap(({ markdown }) => [...markdown.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'gm'))])
    .map(([, block = '']) => block)
    .filter(isPartOfTheGuide)
    .join('\n');

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

describe.each(languages.filter(({ isThere }) => isThere))('in $language', ({ language, file, command }) => {
  const run = async (program: string): Promise<string[]> => {
    const { apiKey } = companyOf(service, 'acme');
    writeFileSync(join(shell.directory, file), program);
    const { stdout } = await promisify(execFile)(command, [file], {
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

  provenTest('the examples of the guide do what its text says', campaign, async () => {
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
      '202 1.2',
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
      ...['hc1 21.5', 'seen'],
      '1',
    ]);
  });

  provenTest('the examples of reads in the reference work in the demo world', campaign, async () => {
    const reads = operationIds.filter((each) => endpoints[each].method === 'GET');
    const files = reads.map((operationId) => {
      const sample = codeSamplesOf(operationId).find(({ lang }) => lang === language)?.source ?? '';
      writeFileSync(join(shell.directory, `${operationId}.${file}`), sample);
      return `${operationId}.${file}`;
    });
    const answers = await run(programOf(language, files));
    // The demo world has no webhook.
    const expected = (operationId: string) =>
      /^(getWebhook|listWebhookAttempts)/.test(operationId) ? /^404 .*webhook-not-found/ : /^200 \{/;
    expect(answers).toEqual(reads.map((operationId) => expect.stringMatching(expected(operationId))));
  });
});
