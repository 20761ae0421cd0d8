/**
 * What a preview or a test lets the store suffer: it breaks every connection off, or answers late where a call touches
 * the table (its physical name).
 */
export type StoreFault =
  | { readonly kind: 'down' }
  | { readonly kind: 'slow'; readonly table: string; readonly delayMs: number };

export const delayOf = (fault: StoreFault | undefined, tables: readonly string[]): number =>
  fault?.kind === 'slow' && tables.includes(fault.table) ? fault.delayMs : 0;
