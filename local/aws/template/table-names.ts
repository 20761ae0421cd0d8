import { arnOf, type Environment } from './environment.ts';
import { type NamedResource, resourcesOf, type Template } from './template.ts';

const tableTypes = ['AWS::DynamoDB::GlobalTable', 'AWS::DynamoDB::Table'] as const;

/** Finds the template's tables, of either type. */
export const tablesIn = (template: Template): NamedResource[] => resourcesOf(template, ...tableTypes);

/**
 * Names each table of the template as its source code does, by logical id: `…/Tables/ApiKeys/Resource` → `ApiKeys`. A
 * table whose name there is unknown or not its own goes by its logical id.
 */
export const constructNamesOf = (template: Template): ReadonlyMap<string, string> => {
  const names = new Map(tablesIn(template).map((table) => [table.logicalId, constructNameOf(table)]));
  const isUnique = (name: string) => [...names.values()].filter((each) => each === name).length === 1;
  return new Map([...names].map(([logicalId, name]) => [logicalId, name && isUnique(name) ? name : logicalId]));
};

const constructNameOf = ({ Metadata }: NamedResource): string | undefined => {
  const path = Metadata?.['aws:cdk:path'];
  return typeof path === 'string' ? path.replace(/\/(Resource|Default)$/, '').replace(/^.*\//, '') : undefined;
};

/** Names a table in ARNs. */
export const tableArn = (environment: Environment, table: string): string =>
  arnOf(environment, 'dynamodb', `table/${table}`);

/** Reads the name of a table out of its ARN or that of one of its indexes. */
export const tableIn = (arn: string): string | undefined => arn.match(/:table\/([^/]+)/)?.[1];
