import { noticeDays } from '../../../lambdas/api/limits.ts';
import type { Resource } from './example-template.ts';
import type { PriceName } from './price-list.ts';

/**
 * What a resource of a type costs: so many units a month for being there, something only when it is used (then the
 * sentence says where that is reckoned), or nothing.
 */
export type PriceDecision =
  | { readonly price: PriceName; readonly unitsOf: (resource: Resource) => number }
  | { readonly byUse: string }
  | { readonly free: string };

const one = () => 1;

const partOfApi = { free: 'part of the API, whose calls are paid' };

const ofBuses = {
  byUse: `by notice: ${noticeDays.length} of less than 1 kB for each key, below a cent a month; and by event of the portal, a few for each owner`,
};

/** An alarm is paid by the metrics that it reads; an expression over them is not one. */
const metricsOfAlarm = ({ Properties = {} }: Resource): number => {
  const metrics: { MetricStat?: { Period?: number }; Expression?: string }[] = Properties.Metrics ?? [
    { MetricStat: { Period: Properties.Period } },
  ];
  const isDearer = metrics.some(
    ({ MetricStat, Expression }) => (MetricStat?.Period ?? 60) < 60 || /\bSELECT\b/.test(Expression ?? ''),
  );
  if (isDearer)
    throw new Error(
      `The alarm ${JSON.stringify(Properties.AlarmName)} has a period below a minute or selects its metrics by a query, which has a price of its own. Add that price to docs/generate/cost/.`,
    );
  return metrics.filter(({ MetricStat }) => MetricStat).length;
};

/** One for each type of the template. */
export const priceDecisions: Readonly<Record<string, PriceDecision>> = {
  'AWS::ApiGateway::Account': partOfApi,
  'AWS::ApiGateway::BasePathMapping': partOfApi,
  'AWS::ApiGateway::Deployment': partOfApi,
  'AWS::ApiGateway::DomainName': partOfApi,
  'AWS::ApiGateway::GatewayResponse': partOfApi,
  'AWS::ApiGateway::Method': partOfApi,
  'AWS::ApiGateway::Resource': partOfApi,
  'AWS::ApiGateway::RestApi': { byUse: 'by call, in the price of a request' },
  'AWS::ApiGateway::Stage': { free: 'has no cache; its metrics by method, which are paid, are off' },
  'AWS::CloudWatch::Alarm': { price: 'alarmMetric', unitsOf: metricsOfAlarm },
  'AWS::CloudWatch::CompositeAlarm': { price: 'compositeAlarm', unitsOf: one },
  'AWS::CloudWatch::Dashboard': { price: 'dashboard', unitsOf: one },
  'AWS::CloudWatch::InsightRule': { price: 'insightRule', unitsOf: one },
  'AWS::CodeDeploy::Application': { free: 'CodeDeploy costs nothing for functions' },
  'AWS::CodeDeploy::DeploymentGroup': { free: 'CodeDeploy costs nothing for functions' },
  'AWS::DynamoDB::GlobalTable': { byUse: 'by unit, in the price of a request; by GB, in the price of a month' },
  'AWS::Events::Archive': ofBuses,
  'AWS::Events::EventBus': ofBuses,
  'AWS::Events::EventBusPolicy': { free: 'part of the bus' },
  'AWS::Events::Rule': { free: 'a rule costs nothing; the events that it sends are paid by who sends them' },
  'AWS::IAM::Role': { free: 'IAM costs nothing' },
  'AWS::KMS::Key': { price: 'macKey', unitsOf: one },
  'AWS::Lambda::Alias': { free: 'a name of the function' },
  'AWS::Lambda::EventSourceMapping': {
    byUse:
      'by receive call of its queue: those that find nothing in the price of a month; a stream is read for nothing',
  },
  'AWS::Lambda::Function': { byUse: 'by request and duration, in the price of a request' },
  'AWS::Lambda::Permission': { free: 'part of the function' },
  'AWS::Lambda::Version': { free: 'code of less than 1 MB; an account has 75 GB' },
  'AWS::Logs::LogGroup': { byUse: 'by GB, in the price of a request' },
  'AWS::Logs::QueryDefinition': { free: 'a saved text; running it costs by the GB that it reads' },
  'AWS::SNS::Subscription': { byUse: 'by alarm that is told, below a cent a month' },
  'AWS::SNS::Topic': { byUse: 'by alarm that is told, below a cent a month' },
  'AWS::SNS::TopicPolicy': { free: 'part of the topic' },
  'AWS::SQS::Queue': {
    byUse: 'by call, about three for a report, fewer in batches; those of the gateway backend, too',
  },
  'AWS::SQS::QueuePolicy': { free: 'part of the queue' },
};

/** What this type of resource costs; throws if nobody has decided. */
export const priceDecisionOf = (type: string): PriceDecision => {
  const decision = priceDecisions[type];
  if (decision) return decision;
  throw new Error(
    `Nobody has decided what a resource of the type ${type} costs. Add it to docs/generate/cost/resource-prices.ts: ` +
      'with a price of price-list.ts, or with the reason why it is free or paid by use.',
  );
};
