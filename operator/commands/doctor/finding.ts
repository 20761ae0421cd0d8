import * as z from 'zod';
import type { Level } from '../../cli/output.ts';

const levels = ['ok', 'warning', 'error'] as const satisfies Level[];

/** The result of a check. */
export const finding = z.strictObject({
  check: z.string(),
  level: z.enum(levels),
  what: z.string(),
  /** Null if nothing needs to be done. */
  remedy: z.string().nullable(),
});

export type Finding = Omit<z.output<typeof finding>, 'check'>;

export const ok = (what: string): Finding => ({ level: 'ok', what, remedy: null });
export const warning = (what: string, remedy: string): Finding => ({ level: 'warning', what, remedy });
export const fault = (what: string, remedy: string): Finding => ({ level: 'error', what, remedy });
