import { RemovalPolicy, type Stack } from 'aws-cdk-lib';
import { type ILogGroup, LogGroup, LogGroupClass } from 'aws-cdk-lib/aws-logs';
import type { StageConfig } from '../config/schema.ts';

/**
 * The log groups by what writes to them: the functions of endpoints, API Gateway's access log, the scheduled jobs, the
 * consumers of queues and streams.
 */
export type LogGroups = Readonly<Record<'requests' | 'access' | 'jobs' | 'consumers', ILogGroup>>;

/**
 * Creates the log groups, each directly in the stack and under its own name, like the tables: their logical ids follow
 * from that, so moving or renaming one would begin an empty log.
 */
export const createLogGroups = (stack: Stack, { logRetentionDays }: StageConfig): LogGroups => {
  // Nobody has logged yet to a group whose own creation is put back.
  const kept = { retention: logRetentionDays, removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE };
  return {
    requests: new LogGroup(stack, 'RequestLog', kept),
    // Only queries read it, so it takes the class that has nothing else and costs half. A group cannot change its class.
    access: new LogGroup(stack, 'AccessLog', { ...kept, logGroupClass: LogGroupClass.INFREQUENT_ACCESS }),
    jobs: new LogGroup(stack, 'JobLog', kept),
    consumers: new LogGroup(stack, 'ConsumerLog', kept),
  };
};
