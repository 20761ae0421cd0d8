import type { BusName } from './buses.ts';
import type { MacKeyName } from './mac-keys.ts';
import type { QueueName } from './queues.ts';
import type { SettingName } from './settings.ts';
import type { TableName } from './tables.ts';

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
