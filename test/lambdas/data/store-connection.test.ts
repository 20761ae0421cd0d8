import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchGetCommand, GetCommand } from '@aws-sdk/lib-dynamodb';
import { expect, onTestFinished, test, vi } from 'vitest';
import { connectStore } from '../../../lambdas/data/store/store.ts';
import { requestTimeouts } from '../../../lambdas/runtime/function-environment.ts';

/** The paths of all files that were read: set before the SDK is imported, because it keeps the function that reads. */
const filesRead = vi.hoisted(() => {
  const paths: string[] = [];
  const files = process.getBuiltinModule('node:fs/promises');
  vi.spyOn(files, 'readFile').mockImplementation(async (path) => {
    paths.push(String(path));
    throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
  });
  return paths;
});

const region = 'eu-central-1';
const credentials = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'secret', sessionToken: 'token' };

type SentRequest = { readonly hostname: string; readonly headers: Readonly<Record<string, string>> };

const get = (time: string) => new GetCommand({ TableName: 'Companies', Key: { companyId: time } });
const batchGet = (time: string) =>
  new BatchGetCommand({ RequestItems: { Companies: { Keys: [{ companyId: time }] } } });

/** Returns a function that sends a command, and returns the request that would have gone to DynamoDB. */
const openSender = () => {
  const sent: SentRequest[] = [];
  const handle = async (request: SentRequest) => {
    sent.push(request);
    throw new Error('This request handler sends nothing.');
  };
  const { store } = connectStore(String, requestTimeouts, { region, credentials, requestHandler: { handle } });
  return async (command: GetCommand | BatchGetCommand): Promise<SentRequest> => {
    await expect(store.send(command as GetCommand)).rejects.toThrow('sends nothing');
    return sent.at(-1) as SentRequest;
  };
};

test.each([
  ['a frequent command', batchGet],
  ['another command', get],
])('%s reads no configuration file, and finds DynamoDB by its region', async (_, command) => {
  const { hostname } = await openSender()(command('2036-03-10'));
  expect(hostname).toBe('dynamodb.eu-central-1.amazonaws.com');
  expect(filesRead.filter((path) => path.includes('.aws'))).toEqual([]);
});

test('the one signer of a store signs as the signers that the SDK would create for each request, on each day', async () => {
  const send = openSender();
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  for (const command of [get, batchGet])
    for (const time of ['2036-03-10T23:59:58Z', '2036-03-10T23:59:59Z', '2036-03-11T00:00:00Z']) {
      vi.setSystemTime(time);
      const request = await send(command(time));
      const { authorization, ...headers } = request.headers;
      const signer = await new DynamoDBClient({ region, credentials }).config.signer();
      const options = { signingRegion: region, signingService: 'dynamodb' };
      const again = await signer.sign({ ...request, headers } as never, options);
      expect(authorization).toContain(`${time.slice(0, 10).replaceAll('-', '')}/eu-central-1/dynamodb`);
      expect(authorization).toBe(again.headers.authorization);
    }
});
