import { loadAwsServiceSpecSync } from '@aws-cdk/aws-service-spec';
import { type Check, resourcesOf } from './check.ts';
import { isFixed, textOf } from './text.ts';

/**
 * Types that keep their own names, although other properties of theirs can only be set at creation too, by these
 * properties. Each for a reason: nobody will change those, or the name does not stand in the way.
 */
const accepted: Readonly<Record<string, readonly string[]>> = {
  // Alarms, dashboards and people call functions by name. All of them are zip packages without tenants for good.
  'AWS::Lambda::Function': ['PackageType', 'TenancyConfig'],
  // Operators attach rules to the bus by name. Only buses of SaaS partners have an event source.
  'AWS::Events::EventBus': ['EventSourceName'],
  // A stage's name is part of the address of its API and unique there only: another API has another stage of that name.
  'AWS::ApiGateway::Stage': ['RestApiId'],
};

/**
 * Finds resources with a name of their own that one day have to be replaced: CloudFormation creates the new one before it
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

/** `TableName` and `Name` name an `AWS::DynamoDB::GlobalTable`, `DomainName` names no `AWS::ApiGateway::BasePathMapping`. */
const isNameOf = (type: string, property: string): boolean =>
  property.endsWith('Name') && type.endsWith(property.slice(0, -'Name'.length));

const createOnlyPropertiesOf = (type: string): string[] => {
  const [resource] = specification.lookup('resource', 'cloudFormationType', 'equals', type);
  return Object.entries(resource?.properties ?? {}).flatMap(([name, { causesReplacement = 'no' }]) =>
    causesReplacement === 'no' ? [] : name,
  );
};

const specification = loadAwsServiceSpecSync();
