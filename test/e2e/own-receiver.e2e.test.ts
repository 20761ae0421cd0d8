import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from 'serve-stack/host';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { proven } from '../support/campaign.ts';
import { companyOf, hasPython, openService, type Service } from '../support/service.ts';
import { eventually } from '../support/time.ts';

let service: Service;
let port: number;
beforeAll(async () => {
  port = await freePort();
  service = await openService({ isWithoutBackend: true, forwardWebhooksTo: `http://localhost:${port}/hook` });
});
afterAll(() => service.close());

/** Starts a program of the guide that receives webhook messages; collects the lines that it prints. */
const startReceiver = async (command: string, program: string, secretsFile: string) => {
  const env = { ...process.env, PORT: String(port), SECRETS_FILE: secretsFile };
  const child: ChildProcess = spawn(command, [resolve('partner/guide', program)], { env });
  onTestFinished(async () => {
    child.kill();
    await once(child, 'close');
  });
  const lines: string[] = [];
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => lines.push(line));
  await eventually(() => fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{}' }));
  return lines;
};

test.for([
  { program: 'receiver.ts', command: process.execPath },
  ...(hasPython ? [{ program: 'receiver.py', command: 'python3' }] : []),
])(
  '$program of the guide verifies the messages of the demo world, and rejects a wrong signature',
  proven,
  async ({ program, command }) => {
    const { apiKey } = companyOf(service, 'acme');
    const post = async (path: string, body?: object) => {
      const json = body && { rawHeaders: ['content-type', 'application/json'], body: JSON.stringify(body) };
      const answer = await service.send({ method: 'POST', path, apiKey, ...json });
      return answer.body as Record<string, string>;
    };
    const secretsFile = join(service.directory, `secrets-of-${program}`);
    writeFileSync(secretsFile, '');
    const lines = await startReceiver(command, program, secretsFile);
    // A URL has one webhook.
    const { webhookId, secret } = await post('/webhooks', { url: `https://hooks.acme.example/${program}` });
    // The secret is not the first one, as during a rotation.
    writeFileSync(secretsFile, `whsec_${Buffer.alloc(32).toString('base64')}\n${secret}\n`);

    const code = await eventually(async () => {
      await service.runSchedules();
      const line = lines.find((each) => each.startsWith('Send this code back: '));
      if (!line) throw new Error('No code has come.');
      return line.slice('Send this code back: '.length);
    });
    expect(await post(`/webhooks/${webhookId}/verification`, { code })).toMatchObject({ state: 'enabled' });
    await eventually(() => expect(lines).toContain('Read the feed.'));
    expect(await post(`/webhooks/${webhookId}/test`)).toMatchObject({
      rightSignature: { status: 204 },
      wrongSignature: { status: 401 },
      wrongSignatureRefused: true,
    });
    expect(service.output()).toMatch(/^webhook\.test msg_\w+ to http:\/\/localhost:\d+\/hook: 401 after \d+ ms$/m);
  },
);
