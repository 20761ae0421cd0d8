import { CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { StageConfig } from '../config/schema.ts';
import { requirementsOf } from '../lambdas/api/chain/requirements.ts';
import type { Endpoint } from '../lambdas/api/endpoints/endpoint.ts';
import { endpoints, type OperationId } from '../lambdas/api/endpoints/endpoints.ts';
import { apiStage } from '../lambdas/api/version.ts';
import { Api } from './api/api.ts';
import { addDomain } from './api/domain.ts';
import type { HandlerFolders } from './functions/bundle.ts';
import { ScheduledJobs } from './functions/scheduled-jobs.ts';
import { ServiceFunction } from './functions/service-function.ts';
import { KeyNotices } from './key-notices.ts';
import { addMonitoring } from './monitoring/monitoring.ts';
import { createTables } from './tables.ts';

export type PartnerApiStackProps = {
  readonly config: StageConfig;
  readonly handlerFolders: HandlerFolders;
};

/** The whole service of one stage: the tables, the API, for each endpoint its function and its method, and the jobs. */
export class PartnerApiStack extends Stack {
  constructor(scope: Construct, id: string, { config, handlerFolders }: PartnerApiStackProps) {
    super(scope, id);
    const tables = createTables(this);
    const api = new Api(this, 'Api', { name: this.stackName, config });
    const requestLog = new LogGroup(this, 'RequestLog', { retention: config.logRetentionDays });
    const functions: Record<string, IFunction> = {};
    for (const [operationId, endpoint] of Object.entries(endpoints) as [OperationId, Endpoint][]) {
      const handler = new ServiceFunction(this, operationId, {
        summary: endpoint.summary,
        requirements: requirementsOf(endpoint),
        handlerFolder: handlerFolders[operationId],
        timeout: Duration.seconds(5),
        logGroup: requestLog,
        tables,
        config,
      });
      api.addEndpoint(endpoint, handler.function);
      functions[operationId] = handler.function;
    }
    const jobs = new ScheduledJobs(this, 'Jobs', { handlerFolders, tables, config });
    const notices = new KeyNotices(this, 'Notices', tables.KeyNotices);
    addMonitoring(this, {
      config,
      stage: api.deploymentStage,
      functions,
      tables,
      logGroups: { requests: requestLog, access: api.accessLog, jobs: jobs.logGroup },
      keyWatch: {
        errors: jobs.functions.watchKeyExpiry.function.metricErrors(),
        undelivered: notices.metricUndelivered(),
      },
    });

    const domain = config.domain && addDomain(api, config.domain);
    const host = domain?.domainName ?? `${api.restApiId}.execute-api.${this.region}.${this.urlSuffix}`;
    new CfnOutput(this, 'BaseUrl', { value: `https://${host}/${apiStage}` });
    if (domain)
      new CfnOutput(this, 'DomainTarget', {
        value: domain.domainNameAliasDomainName,
        description: `Point the DNS record of ${config.domain?.name} here.`,
      });
  }
}
