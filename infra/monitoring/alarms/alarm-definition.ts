import { Duration } from 'aws-cdk-lib';
import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import { ComparisonOperator, type CreateAlarmOptions, type IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { StageConfig } from '../../../config/schema.ts';
import type { TableActions } from '../../../lambdas/api/tables.ts';
import type { QueuePairs } from '../../integrations/queues.ts';
import type { Tables } from '../../stateful.ts';
import type { SavedQueryName } from '../log-queries.ts';
import type { OwnMetric } from '../metrics.ts';

/** `page` is told at once, by day and night; `ticket` in working hours. */
export type Urgency = 'page' | 'ticket';

/** An alarm as a row: what it watches, from when on it rings, and what to tell whoever hears it. */
export type AlarmDefinition = Pick<CreateAlarmOptions, 'threshold' | 'comparisonOperator' | 'treatMissingData'> & {
  readonly metric: IMetric;
  /** How many periods in a row; 1 by default. */
  readonly periods?: number;
  /** Absent from one half of a pair, which rings only together with the other. */
  readonly urgency?: Urgency;
  /**
   * For how long it may ring while requests are answered as they should be: until its window has passed, until a stream
   * or a feed forgets, or for ever, until somebody acts.
   */
  readonly lastsAtMostHours: number;
  /** What is seen from outside. */
  readonly symptom: string;
  /** What to look at first. */
  readonly firstQuery: SavedQueryName;
  /** The page in docs/runbooks. */
  readonly runbook: string;
  /** Tells also when there is no longer anything to watch. */
  readonly tellsSilence?: boolean;
};

/**
 * What may ring longer is told by itself: gathered with others, it would keep them from being told, since a composite alarm
 * that rings already says nothing more. Tickets are read by day, and the error budget creeps over windows of six hours.
 */
export const longestGatheredHours: Readonly<Record<Urgency, number>> = { page: 1, ticket: 6 };

export const untilSomebodyActs = Number.POSITIVE_INFINITY;

export const defaultComparison = ComparisonOperator.GREATER_THAN_THRESHOLD;

/** Alarms by name. */
export type AlarmDefinitions = Readonly<Record<string, AlarmDefinition>>;

/** What alarms look at. */
export type AlarmSources = {
  readonly stage: Stage;
  readonly tables: Tables;
  /** How the functions use the tables, all together. */
  readonly tableActions: TableActions;
  readonly own: OwnMetric;
  /** Finds the keys that expire soon, once a day. */
  readonly keyWatch: IFunction;
  /** Removes from the rows of feeds what owners have taken back. */
  readonly feedPurge: IFunction;
  /** Counts the requests of companies in the log, every so many minutes. */
  readonly usageRecorder: IFunction;
  readonly usageEveryMinutes: number;
  readonly integrations: IntegrationSources;
  readonly monitoring: StageConfig['monitoring'];
  /** The certificate of the API's domain, if it has one. */
  readonly certificateArn?: string | undefined;
};

/** What joins the service to the maker's other systems. */
export type IntegrationSources = {
  readonly queues: QueuePairs;
  /** What the rule of the portal's bus could not deliver, the relay of requested changes not send, and the feed not take. */
  readonly undelivered: Queue;
  readonly relayFailures: Queue;
  readonly feedFailures: Queue;
  readonly relay: IFunction;
  /** The functions that write to the feed. */
  readonly feedRecorders: readonly IFunction[];
};

/** How long an alarm has to see its threshold crossed before it rings, in words. */
export const holding = (period: Duration, periods: number): string =>
  Duration.minutes(period.toMinutes() * periods).toHumanString();

/** Enough failures to be no accident where there are few requests. */
export const fewestFailures = 5;
