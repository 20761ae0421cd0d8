import { GetCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { newestConsentVersion, type StageConfig } from '../../config/schema.ts';
import type { DoneOutcome, EffectOutcome } from '../../lambdas/api/inbound-events/inbound-event.ts';
import { type InboundEvent, inboundEvents } from '../../lambdas/api/inbound-events/inbound-events.ts';
import { requestedChangeType } from '../../lambdas/api/requested-change.ts';
import { idPattern } from '../../lambdas/api/schemas/common.ts';
import { type ApplianceItemKey, changedItemKey } from '../../lambdas/data/appliances/appliances.ts';
import { outcomeWithoutGateway, readInventory } from '../../lambdas/data/appliances/inventory.ts';
import { findCompany } from '../../lambdas/data/contracts/companies.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { parseJson } from '../../lambdas/domain/encoding.ts';
import { absentAt, isRemoved } from '../../lambdas/domain/gateway.ts';
import { toTimestamp } from '../../lambdas/domain/time.ts';
import { readEvent } from '../../lambdas/inbound/read-event.ts';
import type { SetAsideRecord } from '../../lambdas/runtime/set-aside.ts';
import { type DeadLetter, type PlaceName, placeOf } from './dead-letters.ts';

/** The ids and the fault of a dead letter, without personal data. */
export const letterSummary = z.strictObject({
  messageId: z.string(),
  sentAt: z.iso.datetime(),
  type: z.string().nullable(),
  eventId: z.string().nullable(),
  /** The id of a company or of a gateway. */
  subject: z.string().nullable(),
  /**
   * What is wrong with the message, or what the tables lack for it now; null if it could be applied now. For a record that was
   * set aside, its error. Null for a record that Lambda gave up, and for a requested change.
   */
  fault: z.string().nullable(),
});

export type LetterSummary = z.output<typeof letterSummary>;

/** The permissions that a summary needs. */
export const letterReads = { Companies: ['GetItem'], Appliances: ['GetItem'] } as const;

type Stage = { readonly store: Store; readonly config: StageConfig };

export const summaryOf = async (stage: Stage, place: PlaceName, letter: DeadLetter): Promise<LetterSummary> => {
  const { messageId, sentAtMs } = letter;
  const { inboundQueue } = placeOf(place);
  if (!inboundQueue) return { messageId, sentAt: toTimestamp(sentAtMs), ...ownSummary(letter.text) };
  const { labels, refusal, event } = readEvent(inboundQueue, letter.text, sentAtMs);
  const lack = event && (await lackFor(stage, event));
  return {
    messageId,
    sentAt: toTimestamp(sentAtMs),
    type: labels.type ?? null,
    eventId: labels.eventId ?? null,
    subject: labels.subject ?? null,
    fault: refusal ? `${refusal.fault}: ${refusal.expected}` : lack ? `${lack}: ${lacks[lack]}` : null,
  };
};

type Lack = Exclude<EffectOutcome, DoneOutcome>;

/** The descriptions contain no ids. */
const lacks: Readonly<Record<Lack, string>> = {
  'company-not-found': 'The company was not onboarded here.',
  'unknown-consent-version': 'The configuration does not contain this consent version.',
  'gateway-not-found': 'This gateway was not described, or was removed before the time of the event.',
  'version-not-found': 'No change of this version was requested.',
};

/** Returns why the consumer would not apply an event now, as far as reads can determine it; undefined if it would. */
const lackFor = async ({ store, config }: Stage, event: InboundEvent): Promise<Lack | undefined> => {
  switch (event.type) {
    case 'portal.consent.accepted.v1':
      if (event.data.consentVersion > newestConsentVersion(config)) return 'unknown-consent-version';
      return lackOfCompany(store, event.subject);
    case 'gateway.described.v1':
    case 'gateway.removed.v1':
      return undefined;
    case 'change.refused.v1': {
      const { item, version } = event.data;
      return lackOfVersion(store, event, changedItemKey(event.subject, item), version);
    }
    default:
      return inboundEvents[event.type].subject === 'companyId'
        ? lackOfCompany(store, event.subject)
        : lackOfGateway(store, event);
  }
};

const lackOfCompany = async (store: Store, companyId: string): Promise<Lack | undefined> =>
  (await findCompany(store, companyId)) ? undefined : 'company-not-found';

type OfGateway = Pick<InboundEvent, 'subject' | 'timeMs'>;

const lackOfGateway = async (store: Store, { subject, timeMs }: OfGateway): Promise<Lack | undefined> => {
  const inventory = await readInventory(store, subject);
  if (inventory && !isRemoved(inventory)) return undefined;
  return outcomeWithoutGateway(inventory, timeMs) === 'gateway-not-found' ? 'gateway-not-found' : undefined;
};

const lackOfVersion = async (
  store: Store,
  event: OfGateway,
  Key: ApplianceItemKey,
  version: number,
): Promise<Lack | undefined> => {
  const inventory = await readInventory(store, event.subject);
  if (!inventory || isRemoved(inventory)) return lackOfGateway(store, event);
  // Eventually consistent: the output is a snapshot anyway.
  const TableName = store.tableName('Appliances');
  const { Item } = await store.send(new GetCommand({ TableName, Key }));
  if (!Item && event.timeMs <= absentAt(inventory, Key.sk)) return undefined;
  return version > Number(Item?.version ?? 0) ? 'version-not-found' : undefined;
};

/** Summarizes a message that the service wrote: a requested change, or the report of a record that it could not handle. */
const ownSummary = (text: string) => {
  const json = Object(parseJson(text)) as Readonly<Record<string, unknown>>;
  const { consumer, recordId, keys, companyId, error } = json as Partial<SetAsideRecord>;
  if (consumer !== undefined) {
    const { gatewayId, contractId, ...others } = Object(keys) as Readonly<Record<string, { readonly S?: string }>>;
    // A contract id consists of the company id and the owner id.
    const companyOfRecord = others.companyId?.S ?? contractId?.S?.split('|')[0];
    const subject = companyId ?? companyOfRecord ?? gatewayId?.S;
    return { type: cleanId(consumer), eventId: cleanId(recordId), subject: cleanId(subject), fault: error ?? null };
  }
  const type = json.type === requestedChangeType ? requestedChangeType : null;
  return { type, eventId: cleanId(json.id), subject: cleanId(json.subject), fault: null };
};

const cleanId = (value: unknown): string | null => (typeof value === 'string' && idPattern.test(value) ? value : null);

export const summaryRow = ({ messageId, sentAt, type, eventId, subject, fault }: LetterSummary) => ({
  message: messageId,
  sent: sentAt,
  type,
  event: eventId,
  subject,
  fault,
});
