import { expect, test } from 'vitest';
import { type KeptApiKey, rotateApiKey } from '../../../partner/client/api-key-rotation.ts';
import { apiKey, json, scriptedClient } from './scripted.ts';

const keyStore = () => {
  let kept: KeptApiKey = { apiKey };
  const keep = async (next: KeptApiKey) => {
    kept = next;
  };
  return { read: async () => kept, keep };
};

const own = (access: string) =>
  json(200, { keyId: 'k1', expiresAt: '2036-09-15T12:00:00Z', access, allowedCidrs: ['192.0.2.0/28'], label: 'North' });

test('the new key has the allowed addresses and the label of the old one', async () => {
  const { client, sent } = scriptedClient([own('full'), json(201, { apiKey: 'xHCSAPI_new' }), own('full')]);
  await rotateApiKey(client, keyStore());
  expect(JSON.parse(String(sent[1]?.init.body))).toEqual({ allowedCidrs: ['192.0.2.0/28'], label: 'North' });
});

test('a read-only key is rejected before a key is created, and the error says what to do', async () => {
  const { client, sent } = scriptedClient([own('read')]);
  await expect(rotateApiKey(client, keyStore())).rejects.toThrow('Rotate a key with full access');
  expect(sent.length).toBe(1);
});
