import {
  type CellPlan,
  cellCount,
  cellPlan,
  companyLoads,
  demands,
  fullestCell,
  placedLoads,
  totalLoad,
} from '../../docs/generate/cells.ts';
import { below, seededNumbers } from '../../test/support/random.ts';

/**
 * Prints what docs/outgrowing.md says of cells, and the values for other cell sizes and for a hash: a model without a store.
 */
export const simulateCells = (): void => {
  const whole = totalLoad(cellPlan);
  const fullest = fullestCell(cellPlan);
  console.log(
    `${cellPlan.requestsPerSecond} requests a second in one stage, and in the fullest of ${cellCount(cellPlan)} cells (model)`,
  );
  for (const { what, quota, of } of demands)
    console.log(`  ${what.padEnd(44)} ${count(of(whole))} ${count(of(fullest))} of ${count(quota)}`);
  for (const companiesOfCell of [250, 500, 1000, 2000]) {
    const plan = { ...cellPlan, companiesOfCell };
    const byLuck = Math.max(...luckyLoads(plan, seededNumbers(companiesOfCell)));
    console.log(
      `  ${String(companiesOfCell).padStart(4)} companies a cell: ${String(cellCount(plan)).padStart(2)} cells, the fullest ${count(Math.max(...placedLoads(plan)))} requests a second, by a hash of the company ${count(byLuck)}`,
    );
  }
  console.log('');
};

const count = (value: number): string => String(Math.round(value)).padStart(7);

/** Returns the requests per second of each cell if a hash chooses the cell. */
export const luckyLoads = (plan: CellPlan, random: () => number): number[] => {
  const cells = Array<number>(cellCount(plan)).fill(0);
  for (const load of companyLoads(plan)) {
    const cell = below(random, cells.length);
    cells[cell] = (cells[cell] ?? 0) + load;
  }
  return cells;
};

/** Returns the mean number of cells of a home, over this number of homes whose companies are drawn one by one. */
export const drawnCellsOfHome = (plan: CellPlan, homes: number, random: () => number): number => {
  const cells = cellCount(plan);
  let sum = 0;
  for (let home = 0; home < homes; home++)
    sum += new Set(Array.from({ length: plan.companiesOfHome }, () => below(random, cells))).size;
  return sum / homes;
};
