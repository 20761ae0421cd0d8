import * as z from 'zod';
import { isTrial, trialCommand } from '../../../config/trial.ts';
import { defineCommand } from '../../cli/command.ts';
import type { OperatorContext } from '../../cli/context.ts';
import { deployOf } from '../../companies/drift.ts';
import { OperatorError } from '../../error.ts';
import { absentGatewayReads } from './absent-gateways.ts';
import { checkAbsentGateways, checkGateways, checkKeys, checkWebhooks } from './company-checks.ts';
import { type Finding, fault, finding, ok, warning } from './finding.ts';
import {
  checkAddresses,
  checkClock,
  checkConcurrencyQuota,
  checkConsumers,
  checkDeadLetters,
  checkIpSets,
  checkNeighbours,
  checkPolicyLength,
  checkTables,
} from './stage-checks.ts';

const checks = {
  clock: checkClock,
  tables: checkTables,
  policy: checkPolicyLength,
  addresses: checkAddresses,
  'ip sets': checkIpSets,
  'concurrency quota': checkConcurrencyQuota,
  keys: checkKeys,
  gateways: checkGateways,
  'absent gateways': checkAbsentGateways,
  webhooks: checkWebhooks,
  consumers: checkConsumers,
  'dead letters': checkDeadLetters,
  neighbours: checkNeighbours,
} as const satisfies Record<string, (context: OperatorContext) => Promise<Finding[]>>;

/** What a trial leaves out is no finding: the other checks know it by the name of the stage, too. */
const checksOfTrial = {
  trial: async ({ stage }: OperatorContext) => [
    ok(`the stage is a trial: ${trialCommand('destroy', stage)} deletes it, with everything in it`),
  ],
  ...checks,
} as const satisfies Record<string, (context: OperatorContext) => Promise<Finding[]>>;

/** The checks of a stage that is not deployed. */
const checksBeforeDeployment = {
  stack: async ({ stage }: OperatorContext) => [
    warning('the stage is not deployed yet', `only its account was checked; ${deployOf(stage)}`),
  ],
  'concurrency quota': checkConcurrencyQuota,
} as const satisfies Record<string, (context: OperatorContext) => Promise<Finding[]>>;

export const doctor = defineCommand({
  noun: 'doctor',
  summary:
    'Check the clock, tables, resource policy, addresses, quota, keys, gateways, webhooks and queues of a stage, and show how to fix findings; before the first deployment, check the account',
  arguments: {},
  options: {},
  changes: false,
  requirements: {
    tableActions: {
      ApiKeys: ['DescribeTable', 'GetItem', 'Query'],
      Companies: ['DescribeTable', 'GetItem', 'Scan'],
      ...absentGatewayReads,
      Contracts: [...absentGatewayReads.Contracts, 'DescribeTable', 'GetItem'],
      TokenBuckets: ['DescribeTable', 'GetItem'],
      Appliances: [...absentGatewayReads.Appliances, 'DescribeTable', 'GetItem'],
      AuditLog: ['DescribeTable', 'GetItem'],
      KeyNotices: ['DescribeTable', 'GetItem'],
      IdempotencyRecords: ['DescribeTable', 'GetItem'],
      Webhooks: ['DescribeTable', 'GetItem', 'Query'],
      WebhookAttempts: ['DescribeTable', 'GetItem'],
      Events: ['DescribeTable', 'GetItem'],
      Usage: ['DescribeTable', 'GetItem'],
    },
    queueActions: {
      'portalEvents/deadLetters': ['GetQueueAttributes'],
      gatewayReports: ['GetQueueAttributes'],
      'gatewayReports/deadLetters': ['GetQueueAttributes'],
      requestedChanges: ['GetQueueAttributes'],
      'requestedChanges/deadLetters': ['GetQueueAttributes'],
      undelivered: ['GetQueueAttributes'],
      relayFailures: ['GetQueueAttributes'],
      feedFailures: ['GetQueueAttributes'],
    },
    serviceActions: [
      'apigateway:GET',
      'events:DescribeEventBus',
      'lambda:GetAccountSettings',
      'lambda:GetEventSourceMapping',
      'wafv2:GetIPSet',
    ],
  },
  output: z.strictObject({ findings: z.array(finding) }),
  run: async (context) => {
    const applicable = (await isDeployed(context)) ? checksOf(context) : checksBeforeDeployment;
    const found = Object.entries(applicable).map(async ([check, run]) => {
      const findings = await run(context).catch(unchecked);
      return findings.map((each) => ({ check, ...each }));
    });
    return { findings: (await Promise.all(found)).flat() };
  },
  view: ({ findings }) => [
    {
      rows: findings.map(({ level, check, what, remedy }) => ({
        level: { word: level, level },
        check,
        what,
        'what to do': remedy,
      })),
    },
  ],
  exits: {
    error: 'a finding is an error',
    drift: 'a finding is a warning, and no finding is an error',
  },
  exitCode: ({ findings }) => {
    const levels = new Set(findings.map(({ level }) => level));
    if (levels.has('error')) return 'error';
    return levels.has('warning') ? 'drift' : 'ok';
  },
});

const checksOf = ({ stage }: OperatorContext) => (isTrial(stage) ? checksOfTrial : checks);

/** Whether the stage is deployed. Throws for other faults: nothing can be checked without configuration or connection. */
const isDeployed = async ({ connect }: OperatorContext): Promise<boolean> => {
  try {
    await connect();
    return true;
  } catch (error) {
    if (error instanceof OperatorError && error.exitCode === 'not-found') return false;
    throw error;
  }
};

/** A check that fails is a finding of its own, and does not affect the others. */
const unchecked = ({ name, message }: Error): Finding[] => [
  fault(`it could not be checked (${name}: ${message})`, 'fix the cause, and run again'),
];
