import type { BusName, QueueName } from './queues.ts';
import type { TableName } from './tables.ts';

/** What a stage decides and a function has to know, each with what reads it from the text of its variable. */
export const settings = {
  requiredConsentVersion: (text: string) => wholeNumber(text),
  newestConsentVersion: (text: string) => wholeNumber(text),
  consentPortalUrl: (text: string) => text,
  metricNamespace: (text: string) => text,
  /** The company that only watches; a text that is no id if there is none. */
  canaryCompanyId: (text: string) => text,
} as const satisfies Record<string, (text: string) => unknown>;

export type SettingName = keyof typeof settings;
export type Settings = { readonly [Name in SettingName]: ReturnType<(typeof settings)[Name]> };

const wholeNumber = (text: string): number => {
  if (!/^\d+$/.test(text)) throw new Error(`Expected a whole number, got ${JSON.stringify(text)}.`);
  return Number(text);
};

/** `requiredConsentVersion` → `REQUIRED_CONSENT_VERSION`. */
export const settingVariable = (setting: SettingName): string => constantCase(setting);

/** `ApiKeys` → `API_KEYS_TABLE`. */
export const tableVariable = (table: TableName): string => `${constantCase(table)}_TABLE`;

/** `requestedChanges` → `REQUESTED_CHANGES_QUEUE`. */
export const queueVariable = (queue: QueueName): string => `${constantCase(queue)}_QUEUE`;

/** `webhookSecrets` → `WEBHOOK_SECRETS_KEY`. */
export const macKeyVariable = (key: MacKeyName): string => `${constantCase(key)}_KEY`;

/** `notices` → `NOTICES_BUS`. */
export const busVariable = (bus: BusName): string => `${constantCase(bus)}_BUS`;

const constantCase = (name: string) => name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();

/** A key of KMS that makes message authentication codes and never leaves KMS. */
export type MacKey = { readonly summary: string };

/** One row per key; the stack makes it, and a function that names it may let KMS compute codes with it. */
export const macKeys = {
  webhookSecrets: { summary: 'Derives the secrets of webhooks, so that none is stored' },
} as const satisfies Record<string, MacKey>;

export type MacKeyName = keyof typeof macKeys;
