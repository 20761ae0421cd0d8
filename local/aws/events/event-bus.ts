import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import type { Environment } from '../template/environment.ts';
import type { Resolve } from '../template/intrinsics.ts';
import { readResources } from '../template/resources.ts';
import type { Stack } from '../template/template.ts';

export type BusEvent = {
  readonly source: string;
  readonly detailType: string;
  readonly resources?: readonly string[];
  readonly detail: unknown;
};

export type EventBus = { readonly put: (event: BusEvent) => void };

/** Puts an event into the envelope in which EventBridge hands it on. */
export const envelope = (
  { accountId, region }: Environment,
  { source, detailType, resources = [], detail }: BusEvent,
) => ({
  version: '0',
  id: randomUUID(),
  'detail-type': detailType,
  source,
  account: accountId,
  // Whole seconds.
  time: new Date().toISOString().replace(/\.\d+Z$/, 'Z'),
  region,
  resources,
  detail,
});

/** Creates the template's event buses, by ARN. What is put on one is a line of the log: no rule of the template takes it. */
export const createEventBuses = (
  { template, environment }: Stack,
  resolve: Resolve,
  logFile: string,
): ReadonlyMap<string, EventBus> =>
  new Map(
    readResources(template, resolve, 'AWS::Events::EventBus', ['Description', 'Name', 'Tags']).map(({ logicalId }) => [
      resolve<string>({ 'Fn::GetAtt': [logicalId, 'Arn'] }),
      { put: (event) => appendFileSync(logFile, `${JSON.stringify(envelope(environment, event))}\n`) },
    ]),
  );
