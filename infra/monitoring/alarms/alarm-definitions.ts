import type { AlarmDefinitions, AlarmSources } from './alarm-definition.ts';
import { availabilityAlarms } from './availability-alarms.ts';
import { keyAlarms } from './key-alarms.ts';
import { outsideAlarms } from './outside-alarms.ts';
import { requestAlarms } from './request-alarms.ts';
import { seamAlarms } from './seam-alarms.ts';
import { tableAlarms } from './table-alarms.ts';
import { webhookAlarms } from './webhook-alarms.ts';

/** All alarms. Designed refusals (401, 403, 429, 451) are in none of them. */
export const alarmDefinitions = (sources: AlarmSources): AlarmDefinitions => ({
  ...availabilityAlarms(sources),
  ...requestAlarms(sources),
  ...outsideAlarms(sources),
  ...tableAlarms(sources),
  ...keyAlarms(sources),
  ...seamAlarms(sources),
  ...webhookAlarms(sources),
});
