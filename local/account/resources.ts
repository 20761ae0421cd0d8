import type { Environment } from '../aws/template/environment.ts';
import type { StackRecord } from './cloudformation/stack-record.ts';

/** What the other services see of the stacks of the account. */
export type Resources = {
  readonly environment: Environment;
  readonly physicalIdsOf: (type: string) => string[];
  readonly propertiesOf: (type: string) => Readonly<Record<string, unknown>>[];
};

export const resourcesIn = (environment: Environment, stacks: ReadonlyMap<string, StackRecord>): Resources => {
  const deployed = (type: string) =>
    [...stacks.values()].flatMap(({ resources }) => [...resources.values()]).filter((each) => each.type === type);
  return {
    environment,
    physicalIdsOf: (type) => deployed(type).map(({ physicalId }) => physicalId),
    propertiesOf: (type) => deployed(type).map(({ properties }) => properties),
  };
};
