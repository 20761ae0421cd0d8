import type { DynamoDBStreamEvent } from 'aws-lambda';
import { lambdaHandler } from '../data/function-environment.ts';
import { itemChangeOf } from '../data/store/stream-record.ts';
import { recordedForm } from '../domain/feed/visibility.ts';
import { applianceFacts } from '../feed/appliance-facts.ts';
import { feedEventOf } from '../feed/feed-fact.ts';
import { recordEvents } from '../feed/record-events.ts';
import { recorderEnvironment } from '../feed/recorder-environment.ts';
import { readViewers } from '../feed/viewers.ts';

/**
 * Tells each company that may see it what has changed at its gateways. Of what it may not see now, and may have to know of,
 * nothing but the id is written down.
 */
export const handler = lambdaHandler(
  recorderEnvironment('recordApplianceEvents', process.env),
  async ({ Records }: DynamoDBStreamEvent, environment) => {
    const facts = Records.flatMap((record) => {
      const change = itemChangeOf(record);
      return applianceFacts(change).map((fact) => ({ record, change, fact }));
    });
    return recordEvents(environment, 'recordApplianceEvents', Records, async (store) => {
      const gatewayIds = facts.map(({ fact }) => fact.gatewayId ?? '');
      const viewers = await readViewers(store, environment.setting('requiredConsentVersion'), gatewayIds);
      return facts.flatMap(({ record, change, fact }) =>
        (viewers.get(fact.gatewayId ?? '') ?? []).flatMap((viewer) => {
          const { companyId, userId } = viewer.contract;
          const event = recordedForm(viewer, feedEventOf({ ...fact, userId }, change, companyId));
          return event ? [{ companyId, event, record }] : [];
        }),
      );
    });
  },
);
