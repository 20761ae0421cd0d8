/**
 * Describes what a rehearsal or a test lets the store suffer: it breaks connections off or answers late. With a table (its
 * physical name), only a call that touches that table suffers.
 */
export type StoreFault =
  | { readonly kind: 'down'; readonly table?: string }
  | { readonly kind: 'slow'; readonly table: string; readonly delayMs: number };

export const isDown = (fault: StoreFault | undefined, tables: readonly string[]): boolean =>
  fault?.kind === 'down' && (fault.table === undefined || tables.includes(fault.table));

export const delayOf = (fault: StoreFault | undefined, tables: readonly string[]): number =>
  fault?.kind === 'slow' && tables.includes(fault.table) ? fault.delayMs : 0;
