import { type EventDescriptions, envelopeDescriptions } from '../../../lambdas/api/inbound-events/inbound-event.ts';
import {
  type InboundEventType,
  inboundEventDocs,
  inboundEventSchema,
  inboundEvents,
} from '../../../lambdas/api/inbound-events/inbound-events.ts';
import { requestedChange, requestedChangeDocs } from '../../../lambdas/api/requested-change.ts';
import { type JsonSchema, toJsonSchema } from '../../../partner/openapi/json-schema.ts';

/** The JSON Schema of a whole event of a type. */
export const inboundPayload = (type: InboundEventType): JsonSchema => {
  const { properties } = inboundEventDocs()[type];
  const subject = { companyId: 'The id of the company.', gatewayId: 'The id of the gateway.' }[
    inboundEvents[type].subject
  ];
  const json = toJsonSchema(() => inboundEventSchema(type), 'sent');
  return describeEvent(json, {
    ...envelopeDescriptions(),
    subject,
    data: { description: envelopeDescriptions().data, properties },
  });
};

/** The JSON Schema of a requested change. It is open: what a later version adds is not to be refused. */
export const requestedChangePayload = (): JsonSchema =>
  describeEvent(toJsonSchema(requestedChange, 'answered'), requestedChangeDocs().properties);

/** The schema with a description of every property. Fails where one has none, or a description has no property. */
const describeEvent = (json: JsonSchema, words: EventDescriptions): JsonSchema => {
  const used = new Set<string>();
  const described = describeParts(json, { words, place: '', used });
  const idle = placesOf(words).filter((place) => !used.has(place));
  if (idle.length > 0) throw new Error(`No property has these descriptions: ${idle.join(', ')}.`);
  // The pattern of all times says the zone only.
  (described.properties as Record<string, JsonSchema>).time = {
    ...(described.properties as Record<string, JsonSchema>).time,
    pattern: '\\.[0-9]{3}Z$',
  };
  return described;
};

type Words = { readonly words: EventDescriptions; readonly place: string; readonly used: Set<string> };

const describeParts = (json: JsonSchema, words: Words): JsonSchema => ({
  ...json,
  ...(json.items !== undefined && { items: describeParts(json.items as JsonSchema, words) }),
  ...mapList(json, 'anyOf', words),
  ...mapList(json, 'oneOf', words),
  ...(json.properties !== undefined && {
    properties: Object.fromEntries(
      Object.entries(json.properties as Record<string, JsonSchema>).map(([name, property]) => [
        name,
        describeProperty(name, property, words),
      ]),
    ),
  }),
});

const mapList = (json: JsonSchema, keyword: 'anyOf' | 'oneOf', words: Words): JsonSchema => {
  const parts = json[keyword] as JsonSchema[] | undefined;
  return parts ? { [keyword]: parts.map((part) => describeParts(part, words)) } : {};
};

const describeProperty = (name: string, property: JsonSchema, { words, place: around, used }: Words): JsonSchema => {
  const [own, place] = [words[name], `${around}/${name}`];
  if (own === undefined)
    throw new Error(`The property ${place} of an event has no description. Add it beside its schema.`);
  used.add(place);
  return typeof own === 'string'
    ? { description: own, ...property }
    : { description: own.description, ...describeParts(property, { words: own.properties, place, used }) };
};

const placesOf = (words: EventDescriptions, around = ''): string[] =>
  Object.entries(words).flatMap(([name, own]) => [
    `${around}/${name}`,
    ...(typeof own === 'string' ? [] : placesOf(own.properties, `${around}/${name}`)),
  ]);
