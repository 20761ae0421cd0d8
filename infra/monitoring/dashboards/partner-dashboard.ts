import { Duration } from 'aws-cdk-lib';
import {
  Dashboard,
  DashboardVariable,
  DefaultValue,
  LogQueryWidget,
  TextWidget,
  VariableInputType,
  VariableType,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { StageConfig } from '../../../config/schema.ts';
import { endpoints, operationIds } from '../../../lambdas/api/endpoints/endpoints.ts';
import { requestFields } from '../../../lambdas/api/log-events/request-event.ts';
import { isDecision } from '../log-queries.ts';
import { stageNameOf } from '../metrics.ts';

/** Stands in the queries where the company chosen on the dashboard goes. */
const chosenCompany = 'CHOSEN_COMPANY';

const lastRefusals = 'Last requests that were not served';

const changes = operationIds.filter((id) => endpoints[id].method !== 'GET');
const { decision, durationMs, keyId, operation, path, ratePolicy, reason, requestId, status, userId } = requestFields;

/** What the dashboard answers about one company, from its requests' events. */
const questions = {
  'Requests by outcome': `stats count(*) as requests, count_distinct(${userId}) as owners, latest(@timestamp) as latest by ${decision}, ${reason}
| sort requests desc`,
  'Told to wait: where, since when': `filter ${isDecision('limited')}
| stats count(*) as refusals, earliest(@timestamp) as since, latest(@timestamp) as until by ${ratePolicy}, ${operation}, ${path}
| sort refusals desc
| limit 20`,
  'Requests every five minutes': `stats count(*) as requests by bin(5m), ${decision}`,
  'Latency of each operation, ms': `stats count(*) as requests, pct(${durationMs}, 50) as p50Ms, pct(${durationMs}, 99) as p99Ms by ${operation}
| sort p99Ms desc`,
  'Keys in use': `stats count(*) as requests, latest(@timestamp) as latest by ${keyId}
| sort latest desc`,
  'Last changes': `filter ${isDecision('allowed')} and ${operation} like /^(${changes.join('|')})$/
| fields @timestamp, ${operation}, ${path}, ${userId}, ${keyId}, ${requestId}
| sort @timestamp desc
| limit 20`,
  [lastRefusals]: `filter ${isDecision('allowed', '!=')}
| fields @timestamp, ${operation}, ${status}, ${reason}, ${path}, ${userId}, ${requestId}
| sort @timestamp desc
| limit 20`,
} as const;

export type PartnerDashboardProps = {
  readonly requests: ILogGroup;
  /** The first one is shown unless another is chosen. */
  readonly companies: StageConfig['companies'];
};

/** One partner at a time, for the call that begins with "your API refuses us". */
export class PartnerDashboard extends Dashboard {
  constructor(scope: Construct, id: string, { requests, companies }: PartnerDashboardProps) {
    super(scope, id, {
      dashboardName: `${stageNameOf(scope)}-one-partner`,
      defaultInterval: Duration.hours(3),
      variables: [
        new DashboardVariable({
          id: 'company',
          label: 'Company',
          type: VariableType.PATTERN,
          inputType: VariableInputType.INPUT,
          value: chosenCompany,
          defaultValue: DefaultValue.value(companies[0]?.companyId ?? ''),
          visible: true,
        }),
      ],
    });
    this.addWidgets(explanation());
    this.addWidgets(...Object.entries(questions).map(([title, query]) => answerOf(title, query, requests)));
  }
}

const explanation = () =>
  new TextWidget({
    markdown: `# One partner\nWrite the company's id into the field above. Requests that did not authenticate are nobody's, and not among these.`,
    width: 24,
    height: 2,
  });

const answerOf = (title: string, query: string, requests: ILogGroup) =>
  new LogQueryWidget({
    title,
    logGroupNames: [requests.logGroupName],
    queryString: `filter ${requestFields.companyId} = "${chosenCompany}"\n| ${query}`,
    width: title === lastRefusals ? 24 : 12,
    height: 6,
  });
