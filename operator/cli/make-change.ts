import * as z from 'zod';
import { toTimestamp } from '../../lambdas/domain/time.ts';
import { withoutBookkeeping } from './bookkeeping.ts';
import type { OperatorContext } from './context.ts';
import { formatView, type View } from './output.ts';

const value = z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())]);

/** One value that has changed, or would change. */
const difference = z.strictObject({ what: z.string(), before: value, after: value });

export type Difference = z.output<typeof difference>;

export const changeOutcome = z.literal(['changed', 'unchanged', 'would-change']);

/** The common output of changes to a company. */
export const changeOutput = z.strictObject({
  companyId: z.string(),
  outcome: changeOutcome,
  differences: z.array(difference),
});

export type ChangeOutput = z.output<typeof changeOutput>;

type Plan = {
  readonly companyId: string;
  /** Empty if there is nothing to change. */
  readonly differences: readonly Difference[];
  /** Makes the change, in one transaction with its audit row. Throws if that fails. */
  readonly apply: () => Promise<void>;
};

/** Makes a change, unless there is nothing to change or it is a dry run. Asks for confirmation if it is irreversible. */
export const makeChange = async (
  context: OperatorContext,
  { companyId, differences, apply }: Plan,
): Promise<ChangeOutput> => {
  const output = { companyId, differences: [...differences] };
  if (differences.length === 0) {
    context.talk('Nothing to change.');
    return { ...output, outcome: 'unchanged' };
  }
  if (context.isDryRun) {
    context.talk('A dry run: nothing was changed.');
    return { ...output, outcome: 'would-change' };
  }
  await context.confirm(formatView(changeView({ ...output, outcome: 'would-change' })));
  await apply();
  return { ...output, outcome: 'changed' };
};

/** Returns the values of `after` that differ from `before`. Compares lists item by item, and shows times as timestamps. */
export const differencesOf = (
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Difference[] =>
  Object.entries(after)
    .filter(([name, value]) => !isSame(value, before[name]))
    .map(([name, value]) => {
      const [what, present] = name.endsWith('Ms') ? [name.slice(0, -2), presentTime] : [name, (each: unknown) => each];
      return { what, before: present(before[name] ?? null), after: present(value ?? null) } as Difference;
    });

export const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

const presentTime = (epochMs: unknown) => (typeof epochMs === 'number' ? toTimestamp(epochMs) : null);

export const changeView = ({ companyId, outcome, differences }: ChangeOutput): View => [
  {
    title: `${companyId}: ${outcome}`,
    rows: withoutBookkeeping(differences, ({ what }) => what).map(({ what, before, after }) => ({
      what,
      before: shown(before),
      after: shown(after),
    })),
    ifEmpty: 'no differences',
  },
];

const shown = (each: z.output<typeof value>): string => (each === null ? '-' : [each].flat().join(', '));
