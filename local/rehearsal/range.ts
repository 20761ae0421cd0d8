/** In shown time; a run ends where it does, periods begin at full minutes. */
export type Range = { readonly fromMs: number; readonly toMs: number };
