import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { inspectKey } from '../../lambdas/domain/api-keys/api-key.ts';
import { toTimestamp } from '../../lambdas/domain/time.ts';
import { defineCommand } from '../cli/command.ts';
import { nothing } from '../roles/requirements.ts';

export const keyInspect = defineCommand({
  noun: 'key',
  verb: 'inspect',
  summary: 'Say what a key on standard input tells of itself, without asking any store',
  arguments: {},
  options: {},
  changes: false,
  requirements: nothing,
  output: z.strictObject({
    isShapeRight: z.boolean(),
    isChecksumRight: z.boolean().nullable(),
    companyId: z.string().nullable(),
    keyId: z.string().nullable(),
    expiresAt: z.iso.datetime().nullable(),
    isExpired: z.boolean().nullable(),
  }),
  run: async ({ host, nowMs, talk }) => {
    if (host.isTerminal) talk('Paste the key, then Enter and Ctrl-D:');
    const key = inspectKey((await text(host.stdin)).trim());
    return {
      isShapeRight: key !== undefined,
      isChecksumRight: key?.isChecksumRight ?? null,
      companyId: key?.companyId ?? null,
      keyId: key?.keyId ?? null,
      expiresAt: key ? toTimestamp(key.expiresAtMs) : null,
      isExpired: key ? nowMs >= key.expiresAtMs : null,
    };
  },
  view: ({ isShapeRight, isChecksumRight, companyId, keyId, expiresAt, isExpired }) =>
    isShapeRight
      ? [
          {
            facts: {
              checksum: isChecksumRight ? 'right' : 'wrong: the key was mistyped or cut',
              company: companyId,
              key: keyId,
              'expires at': `${expiresAt}${isExpired ? ', expired' : ''}`,
              'is it valid': `only the store knows: key list ${companyId}`,
            },
          },
        ]
      : [{ text: 'This has not the shape of a key: xHCSAPI_<companyId>_<expiry>_<keyId>_<secret and checksum>' }],
  exits: { refused: 'the checksum is wrong: the key was mistyped, or cut' },
  exitCode: ({ isChecksumRight }) => (isChecksumRight ? 'ok' : 'refused'),
});
