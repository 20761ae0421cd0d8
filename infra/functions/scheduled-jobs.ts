import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { type Job, type JobName, jobs } from '../../lambdas/api/background-functions.ts';
import type { Bundles } from './bundle.ts';
import { type QueueByName, queueAccess, ServiceFunction, type SharedProps } from './service-function.ts';

export type FunctionByJob = Readonly<Record<JobName, IFunction>>;

export type ScheduledJobsProps = SharedProps & { readonly bundles: Bundles; readonly queues: QueueByName };

/** The function of each job, and the rule that calls it when its schedule says so. */
export class ScheduledJobs extends Construct {
  readonly functions: FunctionByJob;

  constructor(scope: Construct, id: string, { bundles, queues, ...shared }: ScheduledJobsProps) {
    super(scope, id);
    const functions = (Object.entries(jobs) as [JobName, Job][]).map(
      ([name, { summary, schedule, queueActions = {}, ...requirements }]) => {
        const job = new ServiceFunction(this, name, {
          ...shared,
          summary,
          requirements,
          bundle: bundles[name],
          timeout: Duration.minutes(5),
          ...queueAccess(queues, queueActions),
        });
        new Rule(job, 'Schedule', {
          schedule: Schedule.expression(schedule),
          enabled: !shared.config.isStandby,
          targets: [new LambdaFunction(job.function)],
        });
        return [name, job.function];
      },
    );
    this.functions = Object.fromEntries(functions);
  }
}
