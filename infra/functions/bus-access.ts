import type { EventBus } from 'aws-cdk-lib/aws-events';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { busVariable } from '../../lambdas/api/environment.ts';
import type { BusName } from '../../lambdas/api/queues.ts';

export type BusByName = Readonly<Record<BusName, EventBus>>;

/** What lets a function put events on the buses of its row, and the variables by which it finds them. */
export const busAccess = (buses: BusByName, names: readonly BusName[]) => ({
  statements: names.map(
    (name) => new PolicyStatement({ actions: ['events:PutEvents'], resources: [buses[name].eventBusArn] }),
  ),
  variables: Object.fromEntries(names.map((name) => [busVariable(name), buses[name].eventBusName])),
});
