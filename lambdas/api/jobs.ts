import type { Requirements } from './endpoints/endpoint.ts';
import type { QueueActions } from './queues.ts';

/** A function that no request calls but a schedule does, and what it needs. */
export type Job = Pick<Requirements, 'tableActions' | 'settings'> & {
  readonly summary: string;
  /** An expression of EventBridge, in UTC. */
  readonly schedule: `cron(${string})` | `rate(${string})`;
  readonly queueActions?: QueueActions;
};

/** One row per job, named as its handler's file, `lambdas/jobs/<name>.ts`; all else is derived from its row. */
export const jobs = {
  watchKeyExpiry: {
    summary: 'Announce the keys that expire soon, and measure how soon',
    // The watch runs in the morning, so that its alarms ring by day.
    schedule: 'cron(0 8 * * ? *)',
    tableActions: {
      'ApiKeys/index/byExpiryMonth': ['Query'],
      ApiKeys: ['ConditionCheckItem'],
      Contracts: ['BatchGetItem'],
      KeyNotices: ['PutItem'],
    },
    settings: ['metricNamespace'],
  },
  sweepPokes: {
    summary: 'Queue the pokes whose time has come',
    schedule: 'rate(1 minute)',
    tableActions: { 'Webhooks/index/byDue': ['Query'] },
    settings: ['metricNamespace'],
    queueActions: { pokes: ['SendMessage'] },
  },
} as const satisfies Record<string, Job>;

export type JobName = keyof typeof jobs;

export const jobNames = Object.keys(jobs) as JobName[];
