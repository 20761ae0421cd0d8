import { CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { OperatorError } from '../operator-error.ts';
import { type Connection, type Target, useTables } from './connection.ts';

/** More patient than a function, whose caller waits; a hung connection still ends. */
const patience = {
  maxAttempts: 5,
  requestHandler: { connectionTimeout: 3000, requestTimeout: 10_000, throwOnRequestTimeout: true },
};

/** Connects to a deployed stage with the standard credential chain. */
export const connectToAws = async ({ stage, region, profile }: Target): Promise<Connection> => {
  const settings = { ...patience, ...(region && { region }), ...(profile && { profile }) };
  const stackName = `PartnerApi-${stage}`;
  const [operator, tables] = await Promise.all([
    callerArn(new STSClient(settings)),
    findTables(new CloudFormationClient(settings), stackName),
  ]);
  useTables(tables);
  const client = new DynamoDBClient(settings);
  const store = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  return { store, operator, stackName, close: () => client.destroy() };
};

const callerArn = async (sts: STSClient): Promise<string> => {
  const { Arn } = await sts.send(new GetCallerIdentityCommand({}));
  if (!Arn) throw new OperatorError('error', 'AWS does not say who is calling; every act has to be on record with it.');
  return Arn;
};

/** The physical names of the stack's tables by construct name, which is the logical id without its hash. */
const findTables = async (client: CloudFormationClient, stackName: string): Promise<Record<string, string>> => {
  const tables: Record<string, string> = {};
  try {
    for await (const { StackResourceSummaries = [] } of paginateListStackResources(
      { client },
      { StackName: stackName },
    ))
      for (const { ResourceType, LogicalResourceId = '', PhysicalResourceId } of StackResourceSummaries)
        if (ResourceType === 'AWS::DynamoDB::GlobalTable' && PhysicalResourceId)
          tables[LogicalResourceId.replace(/[0-9A-F]{8}$/, '')] = PhysicalResourceId;
  } catch (error) {
    if ((error as Error).name !== 'ValidationError') throw error;
    throw new OperatorError(
      'not-found',
      `There is no stack ${stackName} in this account and region. Check --stage, --region and --profile, or deploy it first.`,
    );
  }
  return tables;
};
