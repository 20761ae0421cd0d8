import { CfnQueryDefinition } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { endpoints, operationIds } from '../../lambdas/api/endpoints/endpoints.ts';
import { doneOutcomes } from '../../lambdas/api/inbound-events/inbound-event.ts';
import {
  deliveryFields as delivery,
  expiryEvent,
  feedPurgeEvent,
  macKeyWatchEvent,
  recordedEvents,
  relayedChange,
  takenMessage,
  usageRunEvent,
  keyWatchFields as watch,
  webhookSweepEvent,
} from '../../lambdas/api/log-events/background-events.ts';
import { namesOf, requestFields } from '../../lambdas/api/log-events/request-event.ts';
import { accessLogFields } from '../api/api.ts';
import type { LogGroups } from '../stateful.ts';
import { isDecision, timeOfFirst } from './log-query-terms.ts';
import { stageNameOf } from './metrics.ts';

type SavedQuery = {
  /** The question that the query answers. */
  readonly question: string;
  readonly logGroup: keyof LogGroups;
  /** CloudWatch Logs Insights. */
  readonly query: string;
};

/** The placeholder that a person replaces with the id of a company. */
const companyPlaceholder = 'put the companyId here';

/** Returns a query over the requests of one company. It excludes unauthenticated requests, whose company is unknown. */
const aboutCompany = (question: string, query: string): SavedQuery => ({
  question,
  logGroup: 'requests',
  query: `filter ${requestFields.companyId} = "${companyPlaceholder}"\n| ${query}`,
});

const changes = operationIds.filter((id) => endpoints[id].method !== 'GET');

const access = namesOf(accessLogFields);
const taken = namesOf(takenMessage.shape);
const relayed = namesOf(relayedChange.shape);
const recorded = namesOf(recordedEvents.shape);
const macKeyWatch = namesOf(macKeyWatchEvent.shape);
const purge = namesOf(feedPurgeEvent.shape);
const expiry = namesOf(expiryEvent.shape);
const sweep = namesOf(webhookSweepEvent.shape);
const usageRun = namesOf(usageRunEvent.shape);
const { companyId, decision, durationMs, error, operation, path, ratePolicy, reason, requestId, stack } = requestFields;
const { AuditWriteFailures, InitMs, keyAccess, keyId, keyLabel, LostFeedPages, memoryMb, status, userId } =
  requestFields;

/** Returns a list as a query writes it, such as `["applied", "stale"]`. */
const listOf = (values: readonly string[]): string => `[${values.map((value) => `"${value}"`).join(', ')}]`;

/** The queries that the runbooks refer to, by their names in CloudWatch. */
export const savedQueries = {
  'failures-by-cause': {
    question: 'Which operations fail, why, and since when?',
    logGroup: 'requests',
    query: `filter ${isDecision('failed')}
| stats count(*) as failures, earliest(@timestamp) as since, latest(@timestamp) as until by ${operation}, ${reason}
| sort failures desc`,
  },
  'failures-by-version': {
    question: 'Does only the new version of a function fail, or the old one too?',
    logGroup: 'requests',
    // Lambda names the stream after date, function and version: `2026/11/21/PartnerApi-prod-getContract[17]3f9a…`.
    query: `filter ${isDecision('failed')}
| parse @logStream "*[*]*" as streamOf, version, instance
| stats count(*) as failures, earliest(@timestamp) as since, latest(@timestamp) as until by ${operation}, version, ${reason}
| sort failures desc`,
  },
  'failed-requests': {
    question: 'Which errors did the latest failed requests log?',
    logGroup: 'requests',
    query: `fields @timestamp, ${operation}, ${companyId}, ${durationMs}, ${error}, ${stack}, ${requestId}
| filter ${isDecision('failed')}
| sort @timestamp desc
| limit 50`,
  },
  'slowest-requests': {
    question: 'Where did the slowest requests spend their time?',
    logGroup: 'requests',
    query: `fields @timestamp, ${operation}, ${durationMs}, ${timeOfFirst('GetItem')}, ${timeOfFirst('BatchGetItem')}, ${timeOfFirst('PutItem')}, ${timeOfFirst('UpdateItem')}, ${timeOfFirst('Query')}, ${timeOfFirst('TransactWriteItems')}, ${InitMs}, ${requestId}
| sort ${durationMs} desc
| limit 50`,
  },
  'latency-by-operation': {
    question: 'Which operations are slow, and how many of their requests were cold starts?',
    logGroup: 'requests',
    query: `stats count(*) as requests, pct(${durationMs}, 50) as p50Ms, pct(${durationMs}, 99) as p99Ms, count(${InitMs}) as coldStarts, max(${InitMs}) as slowestInitMs by ${operation}
| sort p99Ms desc`,
  },
  'memory-by-operation': {
    question: 'How much of their memory do functions use?',
    logGroup: 'requests',
    query: `stats count(*) as requests, pct(${memoryMb}, 50) as p50Mb, max(${memoryMb}) as mostMb by ${operation}
| sort mostMb desc`,
  },
  'who-is-throttled': {
    question: 'Which companies are throttled, on which path, and since when?',
    logGroup: 'requests',
    query: `filter ${isDecision('limited')}
| stats count(*) as refusals, earliest(@timestamp) as since, latest(@timestamp) as until by ${companyId}, ${ratePolicy}, ${operation}, ${path}
| sort refusals desc
| limit 50`,
  },
  'traffic-by-company': {
    question: 'Who calls, how often, and with what outcome?',
    logGroup: 'requests',
    query: `stats count(*) as requests, count_distinct(${userId}) as owners, latest(@timestamp) as latest by ${companyId}, ${decision}, ${reason}
| sort requests desc`,
  },
  'one-request': {
    question: 'What happened to the request with this x-request-id?',
    logGroup: 'requests',
    query: `fields @timestamp, @message
| filter ${requestId} = "put the x-request-id here"
| sort @timestamp desc`,
  },
  'edge-refusals': {
    question: 'Which addresses does API Gateway refuse before a function runs, and why?',
    logGroup: 'access',
    query: `filter ${access.errorType} != "-" and ${access.errorType} not like /INTEGRATION/
| stats count(*) as refusals, earliest(@timestamp) as since by ${access.sourceIp}, ${access.status}, ${access.errorType}
| sort refusals desc
| limit 50`,
  },
  'unrecorded-changes': {
    question: 'Which changes failed in the transaction that also writes their audit row?',
    logGroup: 'requests',
    query: `fields @timestamp, ${operation}, ${companyId}, ${path}, ${reason}, ${error}, ${requestId}
| filter ${AuditWriteFailures} > 0
| sort @timestamp desc
| limit 50`,
  },
  'key-watch-runs': {
    question: 'What did the daily checks for expiring keys find?',
    logGroup: 'jobs',
    query: `fields @timestamp, ${watch.level}, ${watch.companies}, ${watch.notices}, ${watch.KeysExpiring}, ${watch.DaysToLastKeyExpiry}, ${watch.nearestCompanyId}, ${watch.error}, ${watch.stack}
| filter ${watch.operation} = "watchKeyExpiry"
| sort @timestamp desc
| limit 30`,
  },
  'mac-key-watch-runs': {
    question: 'Which KMS keys were unusable, and which runs of the check failed?',
    logGroup: 'jobs',
    query: `fields @timestamp, ${macKeyWatch.level}, ${macKeyWatch.MacKeysUnusable}, ${macKeyWatch.states}, ${macKeyWatch.error}, ${macKeyWatch.stack}
| filter ${macKeyWatch.operation} = "watchMacKeys" | sort @timestamp desc | limit 30`,
  },
  'feed-purge-runs': {
    question: 'How many events were removed from feeds because access was withdrawn, and which runs failed?',
    logGroup: 'jobs',
    query: `fields @timestamp, ${purge.level}, ${purge.companies}, ${purge.unfinished}, ${purge.removed}, ${purge.error}, ${purge.stack}
| filter ${purge.operation} = "purgeFeeds"
| sort @timestamp desc
| limit 30`,
  },
  'usage-runs': {
    question: 'What did the latest runs of the usage job count?',
    logGroup: 'jobs',
    query: `fields @timestamp, ${usageRun.level}, ${usageRun.periods}, ${usageRun.companies}, ${usageRun.queries}, ${usageRun.error}, ${usageRun.stack}
| filter ${usageRun.operation} = "recordUsage" | sort @timestamp desc | limit 30`,
  },
  'refused-messages': {
    question: 'Which events of the portal and reports of gateways were refused, and what was expected?',
    logGroup: 'consumers',
    query: `filter ispresent(${taken.receiveCount}) and ${taken.outcome} not in ${listOf(doneOutcomes)}
| stats count(*) as attempts, latest(@timestamp) as latest by ${taken.operation}, ${taken.type}, ${taken.outcome}, ${taken.subject}, ${taken.expected}
| sort latest desc
| limit 50`,
  },
  'unusable-parts': {
    question: 'Which parts of events and reports could not be used, and what was expected?',
    logGroup: 'consumers',
    query: `filter ispresent(${taken.expected}) and ${taken.outcome} in ${listOf(doneOutcomes)}
| stats count(*) as messages, count_distinct(${taken.subject}) as subjects, latest(${taken.subject}) as latestSubject, latest(@timestamp) as latest by ${taken.type}, ${taken.outcome}, ${taken.expected}
| sort latest desc
| limit 50`,
  },
  'relayed-changes': {
    question: 'Which requested changes were sent to the gateway backend, and which failed?',
    logGroup: 'consumers',
    query: `fields @timestamp, ${relayed.gatewayId}, ${relayed.outcome}, ${relayed.messages}, ${relayed.version}, ${relayed.companyId}, ${relayed.requestId}, ${relayed.error}, ${relayed.stack}
| filter ${relayed.operation} = "relayRequestedChanges"
| sort @timestamp desc
| limit 50`,
  },
  'recorded-events': {
    question: 'Which events were written to the feeds, and which failed?',
    logGroup: 'consumers',
    query: `fields @timestamp, ${recorded.operation}, ${recorded.companyId}, ${recorded.outcome}, ${recorded.events}, ${recorded.appended}, ${recorded.error}, ${recorded.stack}
| filter ispresent(${recorded.events})
| sort @timestamp desc
| limit 50`,
  },
  'feed-gaps': {
    question: 'Which companies read a gap in their feed, and since when?',
    logGroup: 'requests',
    query: `filter ${LostFeedPages} > 0
| stats count(*) as pages, earliest(@timestamp) as since, latest(@timestamp) as until by ${companyId}
| sort pages desc`,
  },
  'expiry-runs': {
    question: 'How many items had something that expired, and which runs of the job that drops it failed?',
    logGroup: 'jobs',
    query: `fields @timestamp, ${expiry.level}, ${expiry.dropped}, ${expiry.failed}, ${expiry.gatewayId}, ${expiry.error}, ${expiry.stack}
| filter ${expiry.operation} = "dropExpiredChanges"
| sort @timestamp desc
| limit 50`,
  },
  'webhook-messages': {
    question: 'Which webhooks were sent messages, and with what outcome?',
    logGroup: 'consumers',
    query: `filter ${delivery.operation} = "sendWebhookMessage" and ${delivery.outcome} in ["delivered", "refused", "disabled", "held", "dropped", "failed"]
| stats count(*) as messages, latest(@timestamp) as latest, pct(${delivery.durationMs}, 50) as p50Ms by ${delivery.companyId}, ${delivery.webhookId}, ${delivery.outcome}, ${delivery.status}, ${delivery.fault}, ${delivery.error}, ${delivery.stack}
| sort latest desc
| limit 50`,
  },
  'webhook-sweeps': {
    question: 'How many webhook messages did the sweeper find due, and which of its runs failed?',
    logGroup: 'jobs',
    query: `fields @timestamp, ${sweep.level}, ${sweep.messages}, ${sweep.OldestWebhookMessageMs}, ${sweep.error}, ${sweep.stack}
| filter ${sweep.operation} = "sweepWebhookMessages"
| sort @timestamp desc
| limit 50`,
  },
  'partner-outcomes': aboutCompany(
    'One partner: what were the outcomes of its requests, and for how many owners?',
    `stats count(*) as requests, count_distinct(${userId}) as owners, latest(@timestamp) as latest by ${decision}, ${reason}
| sort requests desc`,
  ),
  'partner-waits': aboutCompany(
    'One partner: where is it throttled, and since when?',
    `filter ${isDecision('limited')}
| stats count(*) as refusals, earliest(@timestamp) as since, latest(@timestamp) as until by ${ratePolicy}, ${operation}, ${path}
| sort refusals desc
| limit 20`,
  ),
  'partner-traffic': aboutCompany(
    'One partner: how many requests every five minutes, and with what outcome?',
    `stats count(*) as requests by bin(5m), ${decision}`,
  ),
  'partner-latency': aboutCompany(
    'One partner: how long do its operations take?',
    `stats count(*) as requests, pct(${durationMs}, 50) as p50Ms, pct(${durationMs}, 99) as p99Ms by ${operation}
| sort p99Ms desc`,
  ),
  'partner-keys': aboutCompany(
    'One partner: which keys does it use, and what may they do?',
    `stats count(*) as requests, latest(@timestamp) as latest by ${keyId}, ${keyAccess}, ${keyLabel}
| sort latest desc`,
  ),
  'partner-changes': aboutCompany(
    'One partner: what did it change most recently?',
    `filter ${isDecision('allowed')} and ${operation} like /^(${changes.join('|')})$/
| fields @timestamp, ${operation}, ${path}, ${userId}, ${keyId}, ${requestId}
| sort @timestamp desc
| limit 20`,
  ),
  'partner-refusals': aboutCompany(
    'One partner: which recent requests were not served?',
    `filter ${isDecision('allowed', '!=')}
| fields @timestamp, ${operation}, ${status}, ${reason}, ${path}, ${userId}, ${requestId}
| sort @timestamp desc
| limit 20`,
  ),
} as const satisfies Record<string, SavedQuery>;

export type SavedQueryName = keyof typeof savedQueries;

/** Returns the name that CloudWatch shows. The part before the slash is its folder. */
export const queryNameOf = (stackName: string, name: SavedQueryName): string => `${stackName}/${name}`;

/** The saved queries, each by its name. */
export class SavedQueries extends Construct {
  constructor(scope: Construct, id: string, logGroups: LogGroups) {
    super(scope, id);
    for (const [name, { question, logGroup, query }] of Object.entries<SavedQuery>(savedQueries))
      new CfnQueryDefinition(this, name, {
        name: queryNameOf(stageNameOf(this), name as SavedQueryName),
        logGroupNames: [logGroups[logGroup].logGroupName],
        queryString: `# ${question}\n${query}`,
      });
  }
}
