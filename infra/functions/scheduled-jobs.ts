import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { type ILogGroup, LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { StageConfig } from '../../config/schema.ts';
import { type Job, type JobName, jobs } from '../../lambdas/api/jobs.ts';
import type { Tables } from '../tables.ts';
import type { HandlerFolders } from './bundle.ts';
import { ServiceFunction } from './service-function.ts';

export type ScheduledJobsProps = {
  readonly handlerFolders: HandlerFolders;
  readonly tables: Tables;
  readonly config: StageConfig;
};

/** For each job its function, and the rule that calls it when its schedule says so. */
export class ScheduledJobs extends Construct {
  readonly functions: Readonly<Record<JobName, ServiceFunction>>;
  readonly logGroup: ILogGroup;

  constructor(scope: Construct, id: string, { handlerFolders, tables, config }: ScheduledJobsProps) {
    super(scope, id);
    this.logGroup = new LogGroup(scope, 'JobLog', { retention: config.logRetentionDays });
    const createJob = ([name, { summary, schedule, ...requirements }]: [JobName, Job]) => {
      const job = new ServiceFunction(this, name, {
        summary,
        requirements,
        handlerFolder: handlerFolders[name],
        timeout: Duration.minutes(5),
        logGroup: this.logGroup,
        tables,
        config,
      });
      new Rule(job, 'Schedule', {
        schedule: Schedule.expression(schedule),
        targets: [new LambdaFunction(job.function)],
      });
      return [name, job];
    };
    this.functions = Object.fromEntries((Object.entries(jobs) as [JobName, Job][]).map(createJob));
  }
}
