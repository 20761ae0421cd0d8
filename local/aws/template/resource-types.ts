import { tableTypes } from '../dynamodb/tables.ts';
import { requireKnown } from '../require-known.ts';
import type { Template } from './template.ts';

const servedTypes = [
  ...tableTypes,
  'AWS::ApiGateway::GatewayResponse',
  'AWS::ApiGateway::Method',
  'AWS::ApiGateway::Resource',
  'AWS::ApiGateway::RestApi',
  'AWS::ApiGateway::Stage',
  'AWS::Events::EventBus',
  'AWS::Events::Rule',
  'AWS::IAM::Role',
  'AWS::Lambda::Function',
  'AWS::Lambda::Permission',
  'AWS::Pipes::Pipe',
];

/** What a local run does nothing with, and why that changes no answer. */
const typesWithoutLocalMeaning: Readonly<Record<string, string>> = {
  'AWS::ApiGateway::Account': 'lets API Gateway write to CloudWatch; local logs are files',
  'AWS::ApiGateway::Deployment': 'freezes the API for a stage; a local run serves the template as it is',
  'AWS::CloudWatch::Alarm': 'watches metrics; `npm run dashboard` evaluates it',
  'AWS::CloudWatch::CompositeAlarm': 'watches alarms; `npm run dashboard` evaluates it',
  'AWS::CloudWatch::Dashboard': 'shows metrics; `npm run dashboard` evaluates it',
  'AWS::CloudWatch::InsightRule': 'ranks what stands in logs; `npm run dashboard` evaluates it',
  'AWS::Logs::LogGroup': 'keeps logs for a while; local logs are files',
  'AWS::Logs::MetricFilter': 'makes metrics of logs; a local run has none',
  'AWS::Logs::QueryDefinition': 'keeps the text of a query for whoever looks into the logs',
  'AWS::SNS::Subscription': 'carries alarms; a local run has none',
  'AWS::SNS::Topic': 'carries alarms; a local run has none',
  'AWS::SNS::TopicPolicy': 'carries alarms; a local run has none',
};

/** A resource that would be missing in the local run must not be missed in silence. */
export const requireKnownTypes = ({ Resources }: Template): void =>
  requireKnown(
    'resource type',
    Object.values(Resources).map(({ Type }) => Type),
    [...servedTypes, ...Object.keys(typesWithoutLocalMeaning)],
  );
