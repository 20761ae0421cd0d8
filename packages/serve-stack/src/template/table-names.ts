import { arnOf, type Environment } from './environment.ts';
import { type NamedResource, resourcesOf, type Template } from './template.ts';

const tableTypes = ['AWS::DynamoDB::GlobalTable', 'AWS::DynamoDB::Table'] as const;

/** Finds the template's tables, of either type. */
export const tablesIn = (template: Template): NamedResource[] => resourcesOf(template, ...tableTypes);

/** Names a table in ARNs. */
export const tableArn = (environment: Environment, table: string): string =>
  arnOf(environment, 'dynamodb', `table/${table}`);

/** Reads the name of a table out of its ARN or that of one of its indexes. */
export const tableIn = (arn: string): string | undefined => arn.match(/:table\/([^/]+)/)?.[1];
