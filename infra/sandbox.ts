import { Duration, Stack } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type CfnQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { queueVariable, tableVariable } from '../lambdas/api/environment.ts';
import { sandboxControls, sandboxVariables, simulatedHomesTable, simulateHomes } from '../lambdas/api/sandbox.ts';
import type { Bundles } from './functions/bundle.ts';
import { queueStatement, ServiceFunction, type SharedProps } from './functions/service-function.ts';
import { mapQueue, receiveStatement } from './integrations/consumer-functions.ts';
import type { Integrations } from './integrations/integrations.ts';
import { commonOfQueues } from './integrations/queues.ts';
import { createTable } from './stateful.ts';

export type SandboxProps = SharedProps & { readonly bundles: Bundles; readonly integrations: Integrations };

/**
 * The simulated homes of a sandbox: a function that replaces the portal and the gateway backend, with the table of the homes and
 * the queue of the operators' controls. The function has the access that the real systems would have, and reads which companies
 * there are. No other stage has any of this.
 */
export class Sandbox extends Construct {
  /** The queue that operators send controls to. */
  readonly controls: Queue;

  constructor(scope: Construct, id: string, { bundles, integrations, ...shared }: SandboxProps) {
    super(scope, id);
    const { config, tables } = shared;
    const { gatewayReports, requestedChanges } = integrations.queues.pairs;
    const { bus } = integrations.portalBus;
    const homes = createTable(Stack.of(this), 'SimulatedHomes', simulatedHomesTable);
    this.controls = new Queue(this, 'Controls', {
      ...commonOfQueues,
      visibilityTimeout: Duration.seconds(simulateHomes.visibilityTimeoutSeconds),
      retentionPeriod: Duration.minutes(sandboxControls.retentionMinutes),
    });
    // Elsewhere the gateway backend receives from this queue.
    (requestedChanges.queue.node.defaultChild as CfnQueue).visibilityTimeout = simulateHomes.visibilityTimeoutSeconds;
    const received = [requestedChanges.queue, this.controls];
    const { function: target } = new ServiceFunction(this, 'simulateHomes', {
      ...shared,
      summary: simulateHomes.summary,
      requirements: { tableActions: {}, settings: ['metricNamespace', 'requiredConsentVersion'] },
      bundle: bundles.simulateHomes,
      timeout: Duration.seconds(simulateHomes.timeoutSeconds),
      isRetried: false,
      statements: [
        new PolicyStatement({ actions: ['dynamodb:GetItem', 'dynamodb:PutItem'], resources: [homes.tableArn] }),
        new PolicyStatement({ actions: ['dynamodb:Query'], resources: [`${homes.tableArn}/index/byDue`] }),
        new PolicyStatement({ actions: ['dynamodb:Scan'], resources: [tables.Companies.tableArn] }),
        ...received.map(receiveStatement),
        queueStatement(gatewayReports.queue, ['SendMessage']),
        new PolicyStatement({ actions: ['events:PutEvents'], resources: [bus.eventBusArn] }),
      ],
      variables: {
        [tableVariable('Companies')]: tables.Companies.tableName,
        [queueVariable('gatewayReports')]: gatewayReports.queue.queueUrl,
        [sandboxVariables.homesTable]: homes.tableName,
        [sandboxVariables.homesOfCompany]: String(config.simulatedHomes),
        [sandboxVariables.portalBus]: bus.eventBusName,
      },
    });
    for (const [name, queue] of Object.entries({ Changes: requestedChanges.queue, Controls: this.controls }))
      mapQueue(new Construct(this, `${name}Source`), target, queue, simulateHomes);
    new Rule(this, 'Schedule', {
      schedule: Schedule.rate(Duration.minutes(1)),
      targets: [new LambdaFunction(target)],
    });
  }
}
