import { createHash, createHmac } from 'node:crypto';
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createStoreClient } from '../../../lambdas/data/store/store.ts';
import { requestTimeouts } from '../../../lambdas/runtime/function-environment.ts';
import { Sha256Node } from '../../../lambdas/runtime/sdk-sha256.ts';

const bytes = fc.uint8Array({ maxLength: 200 });
const text = fc.string({ unit: 'binary', maxLength: 100 });

const messages = fc.array(fc.array(fc.oneof(bytes, text)), { maxLength: 3 });

test('hashes and HMACs of texts and bytes in any parts are those of Node.js', async () => {
  await fc.assert(
    fc.asyncProperty(messages, fc.option(fc.oneof(bytes, text)), async (messages, secret) => {
      for (const parts of messages) {
        const ours = new Sha256Node(secret ?? undefined);
        const expected = secret === null ? createHash('sha256') : createHmac('sha256', secret);
        for (const part of parts) {
          ours.update(part);
          expected.update(part);
        }
        expect(Buffer.from(await ours.digest())).toEqual(expected.digest());
      }
    }),
  );
});

const config = {
  region: 'eu-central-1',
  credentials: { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'secret', sessionToken: 'token' },
} satisfies DynamoDBClientConfig;

type SentRequest = { readonly headers: Readonly<Record<string, string>> };

test('requests have the signatures of the SDK without our changes, on each day', async () => {
  const sent: SentRequest[] = [];
  const handle = async (request: SentRequest) => {
    sent.push(request);
    throw new Error('This request handler sends nothing.');
  };
  const client = createStoreClient(requestTimeouts, {
    ...config,
    sha256: Sha256Node,
    requestHandler: { handle } as never,
  });
  const { signer } = new DynamoDBClient(config).config;
  const signAlone = await signer();
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  for (const time of ['2036-03-10T23:59:58Z', '2036-03-10T23:59:59Z', '2036-03-11T00:00:00Z']) {
    vi.setSystemTime(time);
    const command = new GetCommand({ TableName: 'Companies', Key: { companyId: time } });
    await expect(DynamoDBDocumentClient.from(client).send(command)).rejects.toThrow('sends nothing');
    const request = sent.at(-1) as SentRequest;
    const { authorization, ...headers } = request.headers;
    const again = await signAlone.sign({ ...request, headers } as never, {
      signingRegion: config.region,
      signingService: 'dynamodb',
    });
    expect(authorization).toContain(`${time.slice(0, 10).replaceAll('-', '')}/eu-central-1/dynamodb`);
    expect(authorization).toBe(again.headers.authorization);
  }
});
