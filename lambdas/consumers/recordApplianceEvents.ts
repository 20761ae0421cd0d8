import type { DynamoDBStreamEvent } from 'aws-lambda';
import { withDeadline } from '../data/store/store.ts';
import { itemChangeOf } from '../data/store/stream-record.ts';
import { withheldBecause } from '../domain/feed/visibility.ts';
import { applianceFacts } from '../feed/appliance-facts.ts';
import { feedEventOf } from '../feed/feed-fact.ts';
import { recordEvents } from '../feed/record-events.ts';
import { recorderEnvironment } from '../feed/recorder-environment.ts';
import { readViewers } from '../feed/viewers.ts';

const ownEnvironment = recorderEnvironment('recordApplianceEvents', process.env);

/** Tells each company that may see it what has changed at its gateways. What it may not see is not written down. */
export const handler = async ({ Records }: DynamoDBStreamEvent, _context: unknown, environment = ownEnvironment) => {
  const facts = Records.flatMap((record) => {
    const change = itemChangeOf(record);
    return applianceFacts(change).map((fact) => ({ record, change, fact }));
  });
  const store = withDeadline(environment.store, environment.storeDeadlineMs);
  const gatewayIds = facts.map(({ fact }) => fact.gatewayId ?? '');
  const viewers = await readViewers(store, environment.setting('requiredConsentVersion'), gatewayIds);
  const events = facts.flatMap(({ record, change, fact }) =>
    (viewers.get(fact.gatewayId ?? '') ?? []).flatMap((viewer) => {
      const { companyId, userId } = viewer.contract;
      const event = feedEventOf(fact, change, companyId, userId);
      return withheldBecause(viewer, event) ? [] : [{ companyId, event, record }];
    }),
  );
  return recordEvents(environment, 'recordApplianceEvents', events);
};
