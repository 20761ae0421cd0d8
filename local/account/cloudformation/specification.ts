import { loadAwsServiceSpecSync } from '@aws-cdk/aws-service-spec';

let database: ReturnType<typeof loadAwsServiceSpecSync> | undefined;

/** What the published specification of CloudFormation says of a type; `undefined` for custom and unknown ones. */
const typeOf = (type: string) => {
  database ??= loadAwsServiceSpecSync();
  return database.lookup('resource', 'cloudFormationType', 'equals', type)[0];
};

/** Whether a change of a property makes CloudFormation replace the resource. */
export const recreationBy = (type: string, property: string): 'Always' | 'Conditionally' | 'Never' => {
  const causes = typeOf(type)?.properties[property]?.causesReplacement;
  if (causes === 'yes') return 'Always';
  return causes === 'maybe' ? 'Conditionally' : 'Never';
};

/** The property that gives the resource its name, if its type has one. */
export const namePropertyOf = (type: string): string | undefined => {
  const [only, ...others] = typeOf(type)?.primaryIdentifier ?? [];
  return others.length === 0 && only && recreationBy(type, only) === 'Always' ? only : undefined;
};

/** The attributes that Fn::GetAtt may ask of a type; `undefined` if the specification does not know the type. */
export const attributesOf = (type: string): ReadonlySet<string> | undefined => {
  const known = typeOf(type);
  return known && new Set([...Object.keys(known.attributes), ...Object.keys(known.properties)]);
};
