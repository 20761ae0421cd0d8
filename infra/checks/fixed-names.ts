import { loadAwsServiceSpecSync } from '@aws-cdk/aws-service-spec';
import { type Check, resourcesOf } from './check.ts';
import { isFixed, textOf } from './text.ts';

/**
 * Lets resources of these types have fixed names beside these properties, which are set at creation only. Each has its
 * reason: nobody will change the property, or the name does not stand in the way of another resource.
 */
const accepted: Readonly<Record<string, readonly string[]>> = {
  // Alarms, dashboards and people call functions by name. All of them are zip packages without tenants for good.
  'AWS::Lambda::Function': ['PackageType', 'TenancyConfig'],
  // Operators attach rules to the bus by name. Only buses of SaaS partners have an event source.
  'AWS::Events::EventBus': ['EventSourceName'],
  // Profiles of operators take a role by its name, before it is there. No role of this service has a path.
  'AWS::IAM::Role': ['Path'],
  // A stage's name is part of the address of its API and unique there only: another API has another stage of that name.
  'AWS::ApiGateway::Stage': ['RestApiId'],
  // API Gateway, permissions and people know an alias by its name, which is unique on its function only.
  'AWS::Lambda::Alias': ['FunctionName'],
  // The rights of a deployment end at the ACL's name. A REST API takes a regional one, and never one of CloudFront.
  'AWS::WAFv2::WebACL': ['Scope'],
};

/**
 * Finds resources with a fixed name that may have to be replaced one day: CloudFormation creates the new one before it
 * deletes the old one, so that the name is taken and the deployment fails.
 */
export const checkFixedNames: Check = (template) =>
  resourcesOf(template).flatMap(({ logicalId, type, properties }) => {
    const createOnly = createOnlyPropertiesOf(type);
    const nameProperty = createOnly.find((property) => isNameOf(type, property));
    const others = createOnly.filter((name) => name !== nameProperty && !accepted[type]?.includes(name));
    if (nameProperty === undefined || others.length === 0 || !isFixed(textOf(properties[nameProperty]))) return [];
    const sentence = `has the fixed ${nameProperty} ${textOf(properties[nameProperty])}, under which it can never be replaced, as a change of ${others.join(' or ')} requires; leave the name out.`;
    return [{ logicalId, sentence }];
  });

/** Knows a name by its property: it is called `Name`, or as the type is (`TableName` of a `GlobalTable`). */
const isNameOf = (type: string, property: string): boolean =>
  property.endsWith('Name') && [property, property.slice(0, -'Name'.length)].some((name) => type.endsWith(name));

const createOnlyPropertiesOf = (type: string): string[] => {
  const [resource] = specification.lookup('resource', 'cloudFormationType', 'equals', type);
  return Object.entries(resource?.properties ?? {}).flatMap(([name, { causesReplacement = 'no' }]) =>
    causesReplacement === 'no' ? [] : name,
  );
};

const specification = loadAwsServiceSpecSync();
