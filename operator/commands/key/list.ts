import * as z from 'zod';
import { keyAccesses } from '../../../lambdas/api/schemas/api-key.ts';
import { readTakenSlots, type Slot } from '../../../lambdas/data/api-keys/api-keys.ts';
import { readSlotsByExpiryMonth } from '../../../lambdas/data/api-keys/key-notices.ts';
import { findCompany } from '../../../lambdas/data/contracts/companies.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { inspectKey } from '../../../lambdas/domain/api-key.ts';
import { isLastKey, watchedMonths } from '../../../lambdas/domain/key-notices.ts';
import { toMonth, toTimestamp } from '../../../lambdas/domain/time.ts';
import { companyId, defineCommand } from '../../cli/command.ts';
import { noRequirements } from '../../cli/roles.ts';
import { readStandardInput } from '../../cli/text-file.ts';
import { requireCompany } from '../../companies/contract.ts';
import { dayMs, daysLeft, keyRow, presentedKey, presentKey, readAllKeys } from '../../companies/keys.ts';
import { mapConcurrently } from '../../concurrent.ts';

export const keyList = defineCommand({
  noun: 'key',
  verb: 'list',
  summary: 'List the keys of a company, valid and expired',
  arguments: { companyId },
  options: {},
  changes: false,
  requirements: {
    tableActions: {
      Companies: ['GetItem'],
      ApiKeys: ['Query'],
    },
  },
  output: z.strictObject({ companyId: z.string(), keys: z.array(presentedKey) }),
  run: async ({ connect, nowMs }, input) => {
    const { store } = await connect();
    await requireCompany(store, input.companyId);
    const keys = await readAllKeys(store, input.companyId);
    return { companyId: input.companyId, keys: keys.map((key) => presentKey(key, nowMs)) };
  },
  view: ({ keys }) => [{ rows: keys.map(keyRow), ifEmpty: 'no keys' }],
});

export const keyInspect = defineCommand({
  noun: 'key',
  verb: 'inspect',
  summary: 'Show the contents of a key from standard input, without access to a store',
  arguments: {},
  options: {},
  changes: false,
  requirements: noRequirements,
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
    const key = inspectKey((await readStandardInput(host)).trim());
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
            fields: {
              checksum: isChecksumRight ? 'right' : 'wrong: the key was mistyped or cut',
              company: companyId,
              key: keyId,
              'expires at': `${expiresAt}${isExpired ? ', expired' : ''}`,
              'is it valid, and what may it do': `only the store knows: key list ${companyId}`,
            },
          },
        ]
      : [
          {
            text: 'This does not have the format of a key: xHCSAPI_<companyId>_<expiry>_<keyId>_<secret and checksum>',
          },
        ],
  exits: { refused: 'the checksum is wrong: the key was mistyped or truncated' },
  exitCode: ({ isChecksumRight }) => (isChecksumRight ? 'ok' : 'refused'),
});

const expiringKey = z.strictObject({
  companyId: z.string(),
  keyId: z.string(),
  access: z.literal(keyAccesses),
  label: z.string().nullable(),
  expiresAt: z.iso.datetime(),
  daysLeft: z.int(),
  /** Whether the company has no valid key after this one expires, or none that can create another. */
  isLast: z.boolean(),
});

export const keyExpiring = defineCommand({
  noun: 'key',
  verb: 'expiring',
  summary: 'List the keys of all companies that expire soon, in the order of expiry',
  arguments: {},
  options: {
    within: {
      summary: 'days from now, like 30d',
      placeholder: 'days',
      schema: z
        .string()
        .regex(/^\d{1,3}d$/, 'is not a number of days; write one like 30d.')
        .default('30d')
        .transform((text) => Number.parseInt(text, 10)),
    },
  },
  changes: false,
  requirements: {
    tableActions: {
      ApiKeys: ['Query'],
      'ApiKeys/index/byExpiryMonth': ['Query'],
      Companies: ['GetItem'],
    },
  },
  output: z.strictObject({ withinDays: z.int(), keys: z.array(expiringKey) }),
  run: async ({ connect, nowMs }, { within }) => {
    const { store } = await connect();
    const companyIds = await findCompaniesWithKeysUntil(store, nowMs, nowMs + within * dayMs);
    const keys = await mapConcurrently(companyIds, async (companyId) => {
      const slots = await readTakenSlots(store, companyId, nowMs);
      const registered = (await findCompany(store, companyId))?.allowedCidrs ?? [];
      return slots
        .filter(({ expiresAtMs }) => expiresAtMs <= nowMs + within * dayMs)
        .map((slot) => ({ companyId, ...expiringKeyOf(slot), isLast: isLastKey(slot, slots, registered) }));
    });
    const sorted = keys.flat().sort((one, other) => one.expiresAtMs - other.expiresAtMs);
    return {
      withinDays: within,
      keys: sorted.map(({ expiresAtMs, ...key }) => ({
        ...key,
        expiresAt: toTimestamp(expiresAtMs),
        daysLeft: daysLeft(expiresAtMs, nowMs),
      })),
    };
  },
  view: ({ withinDays, keys }) => [
    {
      rows: keys.map(({ companyId, keyId, label, access, expiresAt, daysLeft: days, isLast }) => ({
        company: companyId,
        key: keyId,
        label,
        access,
        'expires at': expiresAt,
        'days left': days,
        note: isLast ? 'the last one of the company' : '',
      })),
      ifEmpty: `no key expires within ${withinDays} days`,
    },
  ],
});

const expiringKeyOf = ({ keyId, access, label, expiresAtMs }: Slot) => ({ keyId, access, label, expiresAtMs });

/** Finds the companies with a key that expires until then. Reads an index, and no keys of other companies. */
const findCompaniesWithKeysUntil = async (store: Store, nowMs: number, untilMs: number): Promise<string[]> => {
  const months = watchedMonths(nowMs).filter((month) => month <= toMonth(untilMs));
  const slots = (await Promise.all(months.map((month) => readSlotsByExpiryMonth(store, month)))).flat();
  const soon = slots.filter(({ expiresAtMs }) => expiresAtMs > nowMs && expiresAtMs <= untilMs);
  return [...new Set(soon.map(({ companyId }) => companyId))].sort();
};
