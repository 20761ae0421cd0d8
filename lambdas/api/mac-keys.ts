/** A key of KMS that makes message authentication codes and never leaves KMS. */
export type MacKey = { readonly summary: string };

/** One row per key; the stack makes it, and a function that names it may let KMS compute codes with it. */
export const macKeys = {
  webhookSecrets: { summary: 'Derives the secrets of webhooks, so that none is stored' },
} as const satisfies Record<string, MacKey>;

export type MacKeyName = keyof typeof macKeys;

export const macKeyNames = Object.keys(macKeys) as MacKeyName[];
