import * as z from 'zod';
import { readTakenSlots } from '../../lambdas/data/api-keys/api-keys.ts';
import { listContracts } from '../../lambdas/data/contracts/contracts.ts';
import { toTimestamp } from '../../lambdas/domain/time.ts';
import { defineCommand } from '../cli/command.ts';
import { dayMs, daysLeft } from '../keys/days-left.ts';

const expiringKey = z.strictObject({
  companyId: z.string(),
  keyId: z.string(),
  expiresAt: z.iso.datetime(),
  daysLeft: z.int(),
  /** Whether no other valid key of the company outlives it. */
  isLast: z.boolean(),
});

export const keyExpiring = defineCommand({
  noun: 'key',
  verb: 'expiring',
  summary: 'List the keys of all companies that run out soon, the first to do so first',
  arguments: {},
  options: {
    within: {
      summary: 'days from now, like 30d',
      placeholder: 'days',
      schema: z
        .string()
        .regex(/^\d{1,3}d$/, 'is no number of days; write one like 30d.')
        .default('30d')
        .transform((text) => Number.parseInt(text, 10)),
    },
  },
  changes: false,
  requirements: {
    tableActions: {
      Contracts: ['Scan'],
      ApiKeys: ['Query'],
    },
  },
  output: z.strictObject({ withinDays: z.int(), keys: z.array(expiringKey) }),
  run: async ({ connect, nowMs }, { within }) => {
    const { store } = await connect();
    const contracts = await listContracts(store);
    const keys = await Promise.all(
      contracts.map(async ({ companyId }) => {
        const slots = await readTakenSlots(store, companyId, nowMs);
        const lastMs = Math.max(...slots.map(({ expiresAtMs }) => expiresAtMs));
        return slots
          .filter(({ expiresAtMs }) => expiresAtMs <= nowMs + within * dayMs)
          .map(({ keyId, expiresAtMs }) => ({ companyId, keyId, expiresAtMs, isLast: expiresAtMs === lastMs }));
      }),
    );
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
      rows: keys.map(({ companyId, keyId, expiresAt, daysLeft: days, isLast }) => ({
        company: companyId,
        key: keyId,
        'expires at': expiresAt,
        'days left': days,
        note: isLast ? 'the last one of the company' : '',
      })),
      ifEmpty: `no key runs out within ${withinDays} days`,
    },
  ],
});
