import type { BusName, QueueName } from './queues.ts';
import type { TableName } from './tables.ts';

/** What a stage decides and a function has to know, each with what reads it from the text of its variable. */
export const settings = {
  requiredConsentVersion: (text: string) => wholeNumber(text),
  newestConsentVersion: (text: string) => wholeNumber(text),
  consentPortalUrl: (text: string) => text,
  metricNamespace: (text: string) => text,
  /** How often another region has taken over the stage: versions of changes begin above those of the region before. */
  takeovers: (text: string) => wholeNumber(text),
  /** How long the log of requests is kept. */
  logRetentionDays: (text: string) => wholeNumber(text),
  /** The company that only watches; a text that is no id if there is none. */
  canaryCompanyId: (text: string) => text,
} as const satisfies Record<string, (text: string) => unknown>;

export type SettingName = keyof typeof settings;
export type Settings = { readonly [Name in SettingName]: ReturnType<(typeof settings)[Name]> };

const wholeNumber = (text: string): number => {
  if (!/^\d+$/.test(text)) throw new EnvironmentError(`Expected a whole number, got ${JSON.stringify(text)}.`);
  return Number(text);
};

/** The stack has not told a function what its row names. No event is to blame, and each meets the same. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Throws if the stack did not set the variable for `those`: the functions for which it does. */
export const requireVariable = (variables: Variables, name: string, those: string): string => {
  const value = variables[name];
  if (value !== undefined) return value;
  throw new EnvironmentError(`${name} is not set. The stack sets it for every function whose row ${those}.`);
};

/** `requiredConsentVersion` → `REQUIRED_CONSENT_VERSION`. */
export const settingVariable = (setting: SettingName): string => constantCase(setting);

/** `ApiKeys` → `API_KEYS_TABLE`. */
export const tableVariable = (table: TableName): string => `${constantCase(table)}_TABLE`;

/** `requestedChanges` → `REQUESTED_CHANGES_QUEUE`. */
export const queueVariable = (queue: TargetQueue): string => `${constantCase(queue)}_QUEUE`;

/** Where a function sends: a queue of a row, or the one that keeps what this function could not take. */
export type TargetQueue = QueueName | 'failures';

/** `webhookSecrets` → `WEBHOOK_SECRETS_KEY`. */
export const macKeyVariable = (key: MacKeyName): string => `${constantCase(key)}_KEY`;

/** Names the log group that the functions of endpoints write to. */
export const requestLogVariable = 'REQUEST_LOG';

/** `notices` → `NOTICES_BUS`. */
export const busVariable = (bus: BusName): string => `${constantCase(bus)}_BUS`;

const constantCase = (name: string) => name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();

/** A key of KMS that makes message authentication codes and never leaves KMS. */
export type MacKey = { readonly summary: string };

/** One row per key; the stack makes it, and a function that names it may let KMS compute codes with it. */
export const macKeys = {
  webhookSecrets: { summary: 'Derives the secrets of webhooks, so that none is stored' },
  // A key of its own: who may compute codes with the other one could derive the secret of any webhook.
  ownerPseudonyms: { summary: 'Derives what stands for an owner who was erased in the audit log' },
} as const satisfies Record<string, MacKey>;

export type MacKeyName = keyof typeof macKeys;
