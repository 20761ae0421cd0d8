import { loadAwsServiceSpecSync } from '@aws-cdk/aws-service-spec';
import { type Check, isFixed, listOf, resourcesOf, textOf } from './check.ts';

/**
 * The resource types that a deployment captures. It contains the resources that exist when it is created, and no later ones.
 */
const frozen = ['AWS::ApiGateway::Method', 'AWS::ApiGateway::GatewayResponse'];

/** Finds API deployments that may be created before the methods and responses that they should contain. */
export const checkDeploymentOrder: Check = (template) =>
  resourcesOf(template, 'AWS::ApiGateway::Deployment').flatMap(({ logicalId, properties }) => {
    const awaited = listOf(template.Resources[logicalId]?.DependsOn);
    const missed = resourcesOf(template, ...frozen)
      .filter((resource) => resource.properties.RestApiId?.Ref === properties.RestApiId?.Ref)
      .filter((resource) => !awaited.includes(resource.logicalId))
      .map((resource) => resource.logicalId);
    if (missed.length === 0) return [];
    return [{ logicalId, sentence: `may be created before ${missed.join(', ')}; add these to DependsOn.` }];
  });

/**
 * The create-only properties that a resource of each type may have together with a fixed name. Each has a reason: the property
 * will never change, or the name does not conflict with another resource's.
 */
const accepted: Readonly<Record<string, readonly string[]>> = {
  // Alarms, dashboards and people refer to functions by name. All functions are and stay zip packages without tenants.
  'AWS::Lambda::Function': ['PackageType', 'TenancyConfig'],
  // Operators attach rules to the bus by name. Only buses of SaaS partners have an event source.
  'AWS::Events::EventBus': ['EventSourceName'],
  // Operators' profiles refer to a role by its name, before the role exists. No role of this service has a path.
  'AWS::IAM::Role': ['Path'],
  // A stage's name is part of its API's URL and unique only within the API, so another API can have a stage of the same name.
  'AWS::ApiGateway::Stage': ['RestApiId'],
  // API Gateway, permissions and people refer to an alias by its name, which is unique only within its function.
  'AWS::Lambda::Alias': ['FunctionName'],
  // An alias names its group without a reference to the group's nested stack. The name is unique within its application.
  'AWS::CodeDeploy::DeploymentGroup': ['ApplicationName'],
  // The rights of a deployment are limited to these names. A REST API takes regional ones, and never those of CloudFront.
  'AWS::WAFv2::IPSet': ['Scope'],
  'AWS::WAFv2::WebACL': ['Scope'],
};

/**
 * Finds resources with a fixed name that a later change may have to replace: CloudFormation creates the new resource before it
 * deletes the old one, so the name is still taken and the deployment fails.
 */
export const checkFixedNames: Check = (template) =>
  resourcesOf(template).flatMap(({ logicalId, type, properties }) => {
    const createOnly = createOnlyPropertiesOf(type);
    const nameProperty = createOnly.find((property) => isNameOf(type, property));
    const others = createOnly.filter((name) => name !== nameProperty && !accepted[type]?.includes(name));
    if (nameProperty === undefined || others.length === 0 || !isFixed(textOf(properties[nameProperty]))) return [];
    const sentence = `has the fixed ${nameProperty} ${textOf(properties[nameProperty])}, so it cannot be replaced, which a change of ${others.join(' or ')} requires; leave the name out.`;
    return [{ logicalId, sentence }];
  });

/**
 * Returns whether a property is the name of its type: it is called `Name`, or like the type (`TableName` of a `GlobalTable`).
 */
const isNameOf = (type: string, property: string): boolean =>
  property.endsWith('Name') && [property, property.slice(0, -'Name'.length)].some((name) => type.endsWith(name));

const createOnlyPropertiesOf = (type: string): string[] => {
  const [resource] = specification.lookup('resource', 'cloudFormationType', 'equals', type);
  return Object.entries(resource?.properties ?? {}).flatMap(([name, { causesReplacement = 'no' }]) =>
    causesReplacement === 'no' ? [] : name,
  );
};

const specification = loadAwsServiceSpecSync();

type Key = { readonly AttributeName: string; readonly KeyType: string };
type Index = { readonly IndexName: string; readonly KeySchema?: readonly Key[] };

/**
 * Finds tables and indexes whose key is missing, invalid, or names an attribute that the table does not define; also attributes
 * in no key, and replicas with an unknown index.
 */
export const checkTableKeys: Check = (template) =>
  resourcesOf(template, 'AWS::DynamoDB::GlobalTable', 'AWS::DynamoDB::Table').flatMap(({ logicalId, properties }) => {
    const indexes = ['GlobalSecondaryIndexes', 'LocalSecondaryIndexes'].flatMap((name) =>
      listOf<Index>(properties[name]),
    );
    const defined = listOf<Key>(properties.AttributeDefinitions).map(({ AttributeName }) => AttributeName);
    const keys = [
      { of: 'The table', schema: listOf<Key>(properties.KeySchema) },
      ...indexes.map(({ IndexName, KeySchema }) => ({ of: `The index ${IndexName}`, schema: listOf(KeySchema) })),
    ];
    const used = keys.flatMap(({ schema }) => schema.map(({ AttributeName }) => AttributeName));
    const sentences = [
      ...keys.filter(({ schema }) => !isKey(schema)).map(({ of }) => `${of} ${notAKey}`),
      ...used.filter((name) => !defined.includes(name)).map((name) => `The key attribute ${name} ${notDefined}`),
      ...defined.filter((name) => !used.includes(name)).map((name) => `The attribute ${name} ${notUsed}`),
      ...unknownIndexes(properties.Replicas, indexes).map((name) => `A replica names the index ${name}, ${unknown}`),
    ];
    return sentences.map((sentence) => ({ logicalId, sentence }));
  });

const isKey = (schema: readonly Key[]) =>
  ['HASH', 'HASH,RANGE'].includes(schema.map(({ KeyType }) => KeyType).join(','));

const unknownIndexes = (replicas: unknown, indexes: readonly Index[]): string[] =>
  listOf(replicas as { readonly GlobalSecondaryIndexes?: readonly Index[] }[])
    .flatMap(({ GlobalSecondaryIndexes = [] }) => GlobalSecondaryIndexes.map(({ IndexName }) => IndexName))
    .filter((name) => !indexes.some(({ IndexName }) => IndexName === name));

const notAKey = 'has no valid KeySchema; write one HASH attribute, followed by at most one RANGE attribute.';
const notDefined = 'is not in AttributeDefinitions; correct the name or define it.';
const notUsed = 'is defined but used in no key, which DynamoDB refuses; remove it from AttributeDefinitions.';
const unknown = 'which the table does not have; correct the name.';
