import type { JsonSchema } from '../../partner/openapi/json-schema.ts';

type Message = { readonly payload: JsonSchema };
type EventsDocument = {
  readonly channels: Readonly<Record<string, { readonly messages: object }>>;
  readonly operations: Readonly<
    Record<string, { readonly action: string; readonly channel: { readonly $ref: string } }>
  >;
  readonly components: { readonly messages: Readonly<Record<string, Message>> };
};

/**
 * Returns what the teams of the other systems may depend on, one promise per line. For events that they send: what is required,
 * and each accepted value. For events that they receive: each property with its type or its values, and `?` if it may be
 * absent.
 */
export const eventPromisesOf = ({ channels, operations, components }: EventsDocument): string[] =>
  Object.values(operations).flatMap(({ action, channel: { $ref } }) => {
    const channel = $ref.slice($ref.lastIndexOf('/') + 1);
    return Object.keys(channels[channel]?.messages ?? {}).flatMap((type) => {
      const payload = components.messages[type]?.payload ?? {};
      return action === 'receive'
        ? [`${type} is taken from ${channel}`, ...takenIn(type, payload)]
        : [`${type} is sent to ${channel}`, ...sentIn(type, payload)];
    });
  });

/** A value that is accepted today must not be refused later. */
const takenIn = (place: string, schema: JsonSchema): string[] => {
  const parts = partsOf(schema);
  if (parts) return parts.flatMap(([name, part]) => takenIn(`${place}${name}`, part));
  if (schema.items !== undefined)
    return [`${place} takes ${limitsOf(schema)}`, ...takenIn(`${place}[]`, schema.items as JsonSchema)];
  if (schema.properties === undefined) return valuesOf(schema).map((value) => `${place} takes ${value}`);
  const required = (schema.required as string[] | undefined) ?? [];
  return [
    `${place} needs ${required.join(', ') || 'nothing'}`,
    ...propertiesOf(schema).flatMap(([name, property]) => takenIn(`${place}.${name}`, property)),
  ];
};

/** A receiver must keep finding what it finds today, and no value that it cannot know. */
const sentIn = (place: string, schema: JsonSchema): string[] => {
  const parts = partsOf(schema);
  if (parts) return parts.flatMap(([name, part]) => sentIn(`${place}${name}`, part));
  if (schema.items !== undefined) return sentIn(`${place}[]`, schema.items as JsonSchema);
  if (schema.properties === undefined) return [`${place}: ${valuesOf(schema).join(' | ')}`];
  const required = (schema.required as string[] | undefined) ?? [];
  return propertiesOf(schema).flatMap(([name, property]) =>
    sentIn(`${place}.${name}${required.includes(name) ? '' : '?'}`, property),
  );
};

const propertiesOf = ({ properties = {} }: JsonSchema) => Object.entries(properties as Record<string, JsonSchema>);

/** Returns the alternatives of a schema, named by a constant that distinguishes them, or else by their position. */
const partsOf = ({ oneOf, anyOf }: JsonSchema): [name: string, part: JsonSchema][] | undefined =>
  ((oneOf ?? anyOf) as JsonSchema[] | undefined)?.map((part, index) => {
    const constants = propertiesOf(part).flatMap(([name, { const: value }]) =>
      value === undefined ? [] : [`${name} ${value}`],
    );
    return [`(${constants.join(', ') || index + 1})`, part];
  });

/** Returns each value of an enumeration, or the type with its limits. */
const valuesOf = (schema: JsonSchema): string[] => {
  if (schema.const !== undefined) return [JSON.stringify(schema.const)];
  return schema.enum ? (schema.enum as unknown[]).map((value) => JSON.stringify(value)) : [limitsOf(schema)];
};

const limits = ['pattern', 'format', 'minLength', 'maxLength', 'minimum', 'maximum', 'multipleOf', 'maxItems'] as const;

const limitsOf = (schema: JsonSchema): string =>
  [
    [schema.type].flat().join(' | '),
    ...limits.flatMap((name) => (schema[name] === undefined ? [] : [`${name} ${schema[name]}`])),
  ].join(', ');
