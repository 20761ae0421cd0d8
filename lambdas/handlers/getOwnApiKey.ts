import { ownApiKeyBody } from '../answers/api-key.ts';
import { serve } from '../chain/serve.ts';
import { readTakenSlots } from '../data/api-keys/api-keys.ts';

export const handler = serve('getOwnApiKey', async ({ store, key, sourceIp, nowMs }) => ({
  body: ownApiKeyBody(key, sourceIp, await readTakenSlots(store, key.companyId, nowMs)),
}));
