import type { TableName } from './tables.ts';

/** What a stage decides and a function has to know; read from the stage's configuration at synth. */
export const settings = ['requiredConsentVersion', 'consentPortalUrl', 'metricNamespace'] as const;
export type Setting = (typeof settings)[number];

/** `requiredConsentVersion` → `REQUIRED_CONSENT_VERSION`. */
export const settingVariable = (setting: Setting): string => constantCase(setting);

/** `ApiKeys` → `API_KEYS_TABLE`. */
export const tableVariable = (table: TableName): string => `${constantCase(table)}_TABLE`;

const constantCase = (name: string) => name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();
