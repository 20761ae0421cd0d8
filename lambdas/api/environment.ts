import type { BusName, QueueName } from './queues.ts';
import type { TableName } from './tables.ts';

/** The settings that a stage decides and functions read, each with the parser of its variable's text. */
export const settings = {
  requiredConsentVersion: (text: string) => wholeNumber(text),
  newestConsentVersion: (text: string) => wholeNumber(text),
  consentPortalUrl: (text: string) => text,
  metricNamespace: (text: string) => text,
  /** The retention of the request log. */
  logRetentionDays: (text: string) => wholeNumber(text),
  /** The canary company, which calls only to monitor; a text that is not an id if there is no such company. */
  canaryCompanyId: (text: string) => text,
} as const satisfies Record<string, (text: string) => unknown>;

export type SettingName = keyof typeof settings;
export type Settings = { readonly [Name in SettingName]: ReturnType<(typeof settings)[Name]> };

const wholeNumber = (text: string): number => {
  if (!/^\d+$/.test(text)) throw new EnvironmentError(`Expected a whole number, got ${JSON.stringify(text)}.`);
  return Number(text);
};

/** A variable that the function's row requires is missing or invalid. The event is not the cause: every event fails with it. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Returns the value of a variable. Throws EnvironmentError if it is not set; `those` completes the message. */
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

/** A queue that a function sends to: one of its row, or the queue that keeps what this function could not process. */
export type TargetQueue = QueueName | 'failures';

/** `webhookSecrets` → `WEBHOOK_SECRETS_KEY`. */
export const macKeyVariable = (key: MacKeyName): string => `${constantCase(key)}_KEY`;

/** The variable that names the log group of the endpoints' functions. */
export const requestLogVariable = 'REQUEST_LOG';

/** `notices` → `NOTICES_BUS`. */
export const busVariable = (bus: BusName): string => `${constantCase(bus)}_BUS`;

const constantCase = (name: string) => name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();

/** A KMS key that computes message authentication codes and never leaves KMS. */
export type MacKey = { readonly summary: string };

/** One row per key. The stack creates it, and a function that names it may let KMS compute codes with it. */
export const macKeys = {
  webhookSecrets: { summary: 'Derives the secrets of webhooks, so that none is stored' },
  // A separate key: a caller that may compute codes with the other one could derive the secret of any webhook.
  ownerPseudonyms: { summary: 'Derives what stands for an owner who was erased in the audit log' },
} as const satisfies Record<string, MacKey>;

export type MacKeyName = keyof typeof macKeys;
