import { CfnOutput, DefaultStackSynthesizer, type IStackSynthesizer, Stack, type StackProps } from 'aws-cdk-lib';
import { ManagedPolicy, PermissionsBoundary } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { type StageConfig, stageOf } from '../config/schema.ts';
import { trialCommand } from '../config/trial.ts';
import { qualifierOf } from './access/bootstrap.ts';
import { boundaryNameOf } from './access/boundary.ts';
import { needsWebAcl, WebAcl } from './api/admission.ts';
import { Api } from './api/api.ts';
import type { Bundles } from './functions/bundle.ts';
import { EndpointFunctions, GradualDeployment } from './functions/endpoint-functions.ts';
import { ScheduledJobs } from './functions/scheduled-jobs.ts';
import { Integrations, Notices } from './integrations/integrations.ts';
import { lifetimeOf } from './lifetime.ts';
import { createCanaryAlarm } from './monitoring/alarms/alarms.ts';
import { Monitoring } from './monitoring/monitoring.ts';
import { OperatorRoles } from './operator-roles.ts';
import { Sandbox } from './sandbox.ts';
import { createLogGroups, createMacKeys, createTables } from './stateful.ts';

export type PartnerApiStackProps = Pick<StackProps, 'tags'> & {
  readonly config: StageConfig;
  readonly bundles: Bundles;
  /** The commit of the code, if known. */
  readonly commit?: string | undefined;
  /** Moves all requests to new versions at once, as a roll-back has to; otherwise they move gradually. */
  readonly isAtOnce?: boolean;
  /** A value of its own for each deployment that connects the readers of streams again, after a table was restored. */
  readonly reconnectStreams?: string | undefined;
};

/** The whole service of one stage: tables, logs, functions, API, jobs, notices and their monitoring. */
export class PartnerApiStack extends Stack {
  constructor(
    scope: Construct,
    id: string,
    { config, bundles, commit, isAtOnce = false, reconnectStreams, ...props }: PartnerApiStackProps,
  ) {
    const stage = stageOf(id);
    const lifetime = lifetimeOf(stage);
    super(scope, id, {
      ...props,
      env: { account: config.account, region: config.region },
      // The cast is needed because the class and the interface differ in which properties may be undefined.
      synthesizer: new DefaultStackSynthesizer(
        lifetime.isPrepared ? { qualifier: qualifierOf({ stage }) } : {},
      ) as IStackSynthesizer,
      description: lifetime.description,
      terminationProtection: lifetime.terminationProtection,
    });
    if (lifetime.isPrepared) {
      const boundary = boundaryNameOf({ stage });
      PermissionsBoundary.of(this).apply(ManagedPolicy.fromManagedPolicyName(this, 'Boundary', boundary));
    }
    const tables = createTables(this, reconnectStreams);
    const keys = createMacKeys(this);
    const logGroups = createLogGroups(this, config);
    const notices = new Notices(this, 'Notices');
    const buses = { notices: notices.bus };
    const integrations = new Integrations(this, 'Integrations', {
      bundles,
      tables,
      keys,
      config,
      buses,
      logGroup: logGroups.consumers,
    });
    const queues = integrations.queues.pairs;
    const ofEndpoints = { bundles, tables, keys, config, queues, logGroup: logGroups.requests };
    const { functions, aliases } = new EndpointFunctions(this, 'Endpoints', ofEndpoints);
    const api = new Api(this, 'Api', { config, aliases, accessLog: logGroups.access });
    const webAcl = needsWebAcl(config) ? new WebAcl(this, 'WebAcl', { config, stage: api.deploymentStage }) : undefined;
    integrations.readStreamsAfter(api.deploymentStage);
    const ofJobs = { bundles, tables, keys, config, queues, logGroup: logGroups.jobs, requestLog: logGroups.requests };
    const jobs = new ScheduledJobs(this, 'Jobs', ofJobs);
    const ofSandbox = { bundles, tables, keys, config, integrations, logGroup: logGroups.consumers };
    const sandbox = config.simulatedHomes ? new Sandbox(this, 'Sandbox', ofSandbox) : undefined;
    const canaryAlarm = createCanaryAlarm(this, { stage: api.deploymentStage, config });
    if (lifetime.isGradual) new GradualDeployment(this, 'Deployments', { aliases, alarm: canaryAlarm, isAtOnce });
    new Monitoring(this, 'Monitoring', {
      config,
      stage: api.deploymentStage,
      functions,
      tables,
      logGroups,
      integrations: integrations.sources,
      keyWatch: jobs.functions.watchKeyExpiry,
      feedPurge: jobs.functions.purgeFeeds,
      usageRecorder: jobs.functions.recordUsage,
      canaryAlarm,
    });
    if (config.operators) {
      const ofOperators = {
        operators: config.operators,
        tables,
        integrations,
        restApiId: api.restApiId,
        logs: [logGroups.requests, logGroups.access, logGroups.consumers],
        ipSetArns: webAcl?.ipSetArns ?? [],
        keys,
        sandboxControls: sandbox?.controls,
      };
      const { roles } = new OperatorRoles(this, 'Operators', ofOperators);
      new CfnOutput(this, 'ReaderRole', { value: roles.reader.roleArn });
      new CfnOutput(this, 'OperatorRole', { value: roles.operator.roleArn });
      if (roles.privacy) new CfnOutput(this, 'PrivacyRole', { value: roles.privacy.roleArn });
    }

    new CfnOutput(this, 'BaseUrl', { value: api.baseUrl });
    new CfnOutput(this, 'NoticeBus', { value: notices.bus.eventBusArn });
    new CfnOutput(this, 'PortalBus', { value: integrations.portalBus.bus.eventBusArn });
    new CfnOutput(this, 'GatewayReportsQueue', { value: integrations.queues.pairs.gatewayReports.queue.queueUrl });
    new CfnOutput(this, 'RequestedChangesQueue', { value: integrations.queues.pairs.requestedChanges.queue.queueUrl });
    if (lifetime.hasPlaceOutputs) {
      new CfnOutput(this, 'Account', { value: this.account });
      new CfnOutput(this, 'Region', { value: this.region });
      const blocks = config.companies.flatMap(({ allowedCidrs }) => allowedCidrs);
      new CfnOutput(this, 'Address', {
        value: blocks.join(' ') || 'none',
        description: 'Only this address may call. For another one, deploy again with --context address=<address>.',
      });
      // The CDK CLI shows these at the end of a deployment.
      for (const { companyId } of config.companies)
        new CfnOutput(this, 'NextCommand', {
          value: `npm run operator -- company onboard ${companyId} --stage ${stage} --reason 'trial'`,
        });
      new CfnOutput(this, 'DeleteCommand', { value: trialCommand('destroy', stage) });
    }
    if (commit)
      new CfnOutput(this, 'Commit', {
        value: commit,
        description: 'The commit that a roll-back of the next deployment restores: npm run deploy -- --code.',
      });
    if (api.domainName) {
      new CfnOutput(this, 'DomainTarget', {
        value: api.domainName.domainNameAliasDomainName,
        description: `Point the DNS record of ${config.domain?.name} here.`,
      });
      new CfnOutput(this, 'DomainHostedZone', {
        value: api.domainName.domainNameAliasHostedZoneId,
        description: 'The hosted zone of DomainTarget, for an alias record of Route 53.',
      });
    }
    if (config.domain && !config.domain.disableDefaultEndpoint)
      new CfnOutput(this, 'DefaultUrl', {
        value: api.defaultUrl,
        description: 'Also serves requests until domain.disableDefaultEndpoint is true in the configuration.',
      });
  }
}
