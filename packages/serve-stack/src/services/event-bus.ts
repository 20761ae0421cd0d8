import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import type { Resolve } from '../template/intrinsics.ts';
import { readResources } from '../template/known-template.ts';
import { arnOf, type Environment, type Stack } from '../template/template.ts';

export type BusEvent = {
  readonly source: string;
  readonly detailType: string;
  readonly resources?: readonly string[];
  readonly detail: unknown;
  /** When it happened, where that is not now. */
  readonly atMs?: number | undefined;
};

/** Takes an event and gives its id; where it goes from there does not concern whoever puts it. */
export type EventBus = { readonly put: (event: BusEvent) => string };

export type BusEnvelope = ReturnType<typeof envelope>;

/** Puts an event into the envelope in which EventBridge hands it on. */
export const envelope = (
  { accountId, region }: Environment,
  { source, detailType, resources = [], detail, atMs = Date.now() }: BusEvent,
) => ({
  version: '0',
  id: randomUUID(),
  'detail-type': detailType,
  source,
  account: accountId,
  // Whole seconds.
  time: new Date(atMs).toISOString().replace(/\.\d+Z$/, 'Z'),
  region,
  resources,
  detail,
});

/** Every account has a bus of this name. */
const defaultBus = 'default';

export const busArn = (environment: Environment, nameOrArn: string): string =>
  nameOrArn.startsWith('arn:') ? nameOrArn : arnOf(environment, 'events', `event-bus/${nameOrArn}`);

/** Creates the event buses, by ARN. What is put on one is a line of the log, and is told to the rules. */
export const createEventBuses = (
  { template, environment }: Stack,
  resolve: Resolve,
  {
    logFile,
    tellRules,
  }: { readonly logFile: string; readonly tellRules: (busArn: string, event: BusEnvelope) => void },
): ReadonlyMap<string, EventBus> => {
  const known = ['Description', 'Name', 'Tags'];
  const own = readResources(template, resolve, 'AWS::Events::EventBus', known).map(({ logicalId }) =>
    resolve<string>({ 'Fn::GetAtt': [logicalId, 'Arn'] }),
  );
  return new Map(
    [busArn(environment, defaultBus), ...own].map((arn) => [
      arn,
      {
        put: (event) => {
          const enveloped = envelope(environment, event);
          appendFileSync(logFile, `${JSON.stringify(enveloped)}\n`);
          tellRules(arn, enveloped);
          return enveloped.id;
        },
      },
    ]),
  );
};
