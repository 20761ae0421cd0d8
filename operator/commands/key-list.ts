import * as z from 'zod';
import { companyId } from '../cli/arguments.ts';
import { defineCommand } from '../cli/command.ts';
import { requireContract } from '../contracts/contract-change.ts';
import { keyRow, presentedKey, presentKey, readAllKeys } from '../keys/present-key.ts';

export const keyList = defineCommand({
  noun: 'key',
  verb: 'list',
  summary: 'List the keys of a company, valid and expired',
  arguments: { companyId },
  options: {},
  changes: false,
  requirements: {
    tableActions: {
      Contracts: ['GetItem'],
      ApiKeys: ['Query'],
    },
  },
  output: z.strictObject({ companyId: z.string(), keys: z.array(presentedKey) }),
  run: async ({ connect, nowMs }, input) => {
    const { store } = await connect();
    await requireContract(store, input.companyId);
    const keys = await readAllKeys(store, input.companyId);
    return { companyId: input.companyId, keys: keys.map((key) => presentKey(key, nowMs)) };
  },
  view: ({ keys }) => [{ rows: keys.map(keyRow), ifEmpty: 'no keys' }],
});
