import { Duration } from 'aws-cdk-lib';
import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import {
  ComparisonOperator,
  type CreateAlarmOptions,
  type MathExpression,
  type Metric,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { StageConfig } from '../../../config/schema.ts';
import type { TableActions } from '../../../lambdas/api/tables.ts';
import type { QueuePairs } from '../../integrations/queues.ts';
import type { Tables } from '../../stateful.ts';
import type { SavedQueryName } from '../log-queries.ts';
import type { OwnMetric } from '../metrics.ts';

/** `page` needs action at once, by day and night; `ticket` in working hours. */
export type Urgency = 'page' | 'ticket';

/** The definition of an alarm: its metric, its threshold, and the text for the person who receives it. */
export type AlarmDefinition = Pick<CreateAlarmOptions, 'threshold' | 'comparisonOperator' | 'treatMissingData'> & {
  readonly metric: Metric | MathExpression;
  /** The threshold for the runbook, if it follows from the configuration of the stage. */
  readonly thresholdInWords?: string;
  /** Number of consecutive periods that breach the threshold; 1 by default. */
  readonly periods?: number;
  /** Absent for the alarms of a pair, which notify only together. */
  readonly urgency?: Urgency;
  /**
   * How long the alarm can stay in ALARM after recovery, in hours: until its window has passed, until a stream or a feed drops
   * the records, or forever, until somebody acts.
   */
  readonly lastsAtMostHours: number;
  /** The symptom as seen from outside. */
  readonly symptom: string;
  /** The saved query to run first. */
  readonly firstQuery: SavedQueryName;
  /** The page in docs/runbooks. */
  readonly runbook: string;
  /** Also notifies on INSUFFICIENT_DATA, as a ticket. */
  readonly notifiesOnMissingData?: boolean;
};

/**
 * An alarm that can stay in ALARM longer notifies on its own. In a composite alarm it would mask the others, since a composite
 * alarm that is already in ALARM does not notify again. Tickets are read in working hours, and the slowest burn rate has a
 * short window of six hours.
 */
const longestGatheredHours: Readonly<Record<Urgency, number>> = { page: 1, ticket: 6 };

/** Returns whether a composite alarm notifies of the alarm. */
export const isGathered = ({ urgency, lastsAtMostHours }: AlarmDefinition): boolean =>
  urgency !== undefined && lastsAtMostHours <= longestGatheredHours[urgency];

export const untilSomebodyActs = Number.POSITIVE_INFINITY;

export const defaultComparison = ComparisonOperator.GREATER_THAN_THRESHOLD;

/** Alarms by name. */
export type AlarmDefinitions = Readonly<Record<string, AlarmDefinition>>;

/** The resources and settings that alarms refer to. */
export type AlarmSources = {
  readonly stage: Stage;
  readonly tables: Tables;
  /** The actions of all functions on each table. */
  readonly tableActions: TableActions;
  readonly own: OwnMetric;
  /** The daily job that finds the keys that expire soon. */
  readonly keyWatch: IFunction;
  /** The job that removes from feeds the events whose access owners have withdrawn. */
  readonly feedPurge: IFunction;
  /** The job that counts the requests of companies in the log, every `usageEveryMinutes`. */
  readonly usageRecorder: IFunction;
  readonly usageEveryMinutes: number;
  readonly integrations: IntegrationSources;
  readonly monitoring: StageConfig['monitoring'];
  /** The certificate of the API's domain, if it has one. */
  readonly certificateArn?: string | undefined;
};

/** The resources that connect the service to the maker's other systems. */
export type IntegrationSources = {
  readonly queues: QueuePairs;
  /** Queues of what the portal bus's rule could not deliver, the relay could not send, and the feed could not record. */
  readonly undelivered: Queue;
  readonly relayFailures: Queue;
  readonly feedFailures: Queue;
  readonly relay: IFunction;
  /** The functions that write to the feed. */
  readonly feedRecorders: readonly IFunction[];
};

/** Returns, in words, how long the threshold must be breached before an alarm goes into ALARM. */
export const breachDuration = (period: Duration, periods: number): string =>
  Duration.minutes(period.toMinutes() * periods).toHumanString();

/** Fewer failures than this may be a coincidence when there are few requests. */
export const minFailures = 5;
