import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { toTimestamp } from '../../../lambdas/domain/time.ts';
import { account } from '../template/account.ts';
import type { Resolve } from '../template/intrinsics.ts';
import { readResources } from '../template/resources.ts';
import type { Template } from '../template/template.ts';

export type BusEvent = {
  readonly source: string;
  readonly detailType: string;
  readonly resources?: readonly string[];
  readonly detail: unknown;
};

export type EventBus = { readonly put: (event: BusEvent) => void };

/** An event as EventBridge hands it on. */
export const envelope = ({ source, detailType, resources = [], detail }: BusEvent) => ({
  version: '0',
  id: randomUUID(),
  'detail-type': detailType,
  source,
  account: account.id,
  time: toTimestamp(Math.floor(Date.now() / 1000) * 1000),
  region: account.region,
  resources,
  detail,
});

/** The template's event buses by ARN. What is put on one is a line of the log: the rules that would take it are an operator's. */
export const createEventBuses = (
  template: Template,
  resolve: Resolve,
  logFile: string,
): ReadonlyMap<string, EventBus> =>
  new Map(
    readResources(template, resolve, 'AWS::Events::EventBus', ['Description', 'Name', 'Tags']).map(({ logicalId }) => [
      resolve<string>({ 'Fn::GetAtt': [logicalId, 'Arn'] }),
      { put: (event) => appendFileSync(logFile, `${JSON.stringify(envelope(event))}\n`) },
    ]),
  );
