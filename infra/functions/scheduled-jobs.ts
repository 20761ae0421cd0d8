import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { isItsOwnRetry, type Job, type JobName, jobs } from '../../lambdas/api/background-functions.ts';
import { type MacKeyName, macKeyVariable, requestLogVariable } from '../../lambdas/api/environment.ts';
import type { MacKeys } from '../stateful.ts';
import type { Bundles } from './bundle.ts';
import { type QueueByName, queueAccess, ServiceFunction, type SharedProps } from './service-function.ts';

type FunctionByJob = Readonly<Record<JobName, IFunction>>;

export type ScheduledJobsProps = SharedProps & {
  readonly bundles: Bundles;
  readonly queues: QueueByName;
  /** The log group of the endpoints' functions. */
  readonly requestLog: ILogGroup;
};

/** The function of each job, and the rule that invokes it on its schedule. */
export class ScheduledJobs extends Construct {
  readonly functions: FunctionByJob;

  constructor(scope: Construct, id: string, { bundles, queues, requestLog, ...shared }: ScheduledJobsProps) {
    super(scope, id);
    const functions = (Object.entries(jobs) as [JobName, Job][]).map(
      ([
        name,
        {
          summary,
          schedule,
          ringsIfSilent: _,
          everyMinutes,
          queriesRequestLog,
          watchedMacKeys = [],
          queueActions = {},
          ...requirements
        },
      ]) => {
        const { statements, variables } = queueAccess(queues, queueActions);
        const log = queriesRequestLog && logAccess(requestLog);
        const minutes = everyMinutes && shared.config[everyMinutes];
        const job = new ServiceFunction(this, name, {
          ...shared,
          summary,
          requirements,
          bundle: bundles[name],
          timeout: Duration.minutes(5),
          isRetried: !isItsOwnRetry({ schedule }),
          statements: [...statements, ...(log?.statements ?? []), ...watchStatements(shared.keys, watchedMacKeys)],
          variables: {
            ...variables,
            ...log?.variables,
            ...Object.fromEntries(watchedMacKeys.map((key) => [macKeyVariable(key), shared.keys[key].keyArn])),
          },
        });
        new Rule(job, 'Schedule', {
          schedule: minutes ? Schedule.rate(Duration.minutes(minutes)) : Schedule.expression(schedule),
          targets: [new LambdaFunction(job.function)],
        });
        return [name, job.function];
      },
    );
    this.functions = Object.fromEntries(functions);
  }
}

/** Allows a function to read the state of keys, but not to compute with them. */
const watchStatements = (keys: MacKeys, names: readonly MacKeyName[]) =>
  names.map((name) => new PolicyStatement({ actions: ['kms:DescribeKey'], resources: [keys[name].keyArn] }));

/** Allows a function to query the log, and passes it the log group's name. */
const logAccess = (requestLog: ILogGroup) => ({
  statements: [
    new PolicyStatement({ actions: ['logs:StartQuery'], resources: [requestLog.logGroupArn] }),
    // The results of a query are no resource that a policy could name; only the caller that started the query knows its id.
    new PolicyStatement({ actions: ['logs:GetQueryResults'], resources: ['*'] }),
  ],
  variables: { [requestLogVariable]: requestLog.logGroupName },
});
