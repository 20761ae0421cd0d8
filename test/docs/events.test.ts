import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { eventPromisesOf } from '../../docs/generate/event-promises.ts';
import { eventsText } from '../../docs/generate/events-document.ts';
import { eventPromisesFile } from '../../docs/generate/generated-files.ts';
import { inboundEventTypes } from '../../lambdas/api/inbound-events/inbound-events.ts';
import { requestedChange } from '../../lambdas/api/requested-change.ts';
import { brokenPromises } from '../../partner/openapi/compatibility.ts';

type Message = { name: string; payload: Record<string, unknown>; examples: { payload: Record<string, unknown> }[] };

const text = eventsText();
const document = JSON.parse(text);
const messages: Message[] = Object.values(document.components.messages);

/** A third-party validator of AsyncAPI 3. */
const faultsOf = async (source: string): Promise<string[]> => {
  const config = await createConfig({
    extends: ['recommended-strict'],
    // IAM authenticates callers, for which the format has no scheme.
    rules: { 'security-defined': 'off', 'info-license': 'off' },
  });
  const problems = await lintFromString({ source, absoluteRef: '/events.json', config });
  return problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer} ${message}`);
};

test('the document is AsyncAPI 3', async () => {
  expect(await faultsOf(text)).toEqual([]);
});

test('the validator finds an error', async () => {
  const broken = structuredClone(document);
  broken.operations.takePortalEvents.action = 'take';
  broken.channels.gatewayReports.messages['change.refused.v1'].$ref = '#/components/messages/change.denied.v1';
  broken.components.messages['gateway.removed.v1'].payload.type = 'record';
  broken.info.title = undefined;
  expect((await faultsOf(JSON.stringify(broken))).length).toBe(4);
});

test('the document contains each type of event', () => {
  expect(messages.map(({ name }) => name)).toEqual([...inboundEventTypes, 'partner-api.change.requested.v1']);
});

describe.each(messages)('the schema of $name', ({ payload, examples }) => {
  const ajv = new Ajv({ allErrors: true, formats: { int32: true } });
  addFormats.default(ajv);
  const validate = ajv.compile(payload);
  const example = examples[0]?.payload ?? {};

  test('accepts its example, and additions of a later version', () => {
    for (const event of [example, { ...example, traceparent: 'x', data: { ...Object(example.data), more: 1 } }]) {
      validate(event);
      expect(validate.errors).toBeNull();
    }
  });

  test.each(Object.keys(example))('needs %s', (name) => {
    expect(validate({ ...example, [name]: undefined })).toBe(false);
  });

  test.each([
    { specversion: '0.3' },
    { id: 'a b' },
    { id: 'x'.repeat(129) },
    { source: 'somebody' },
    { type: 'circuit.reported.v2' },
    { subject: 'a b' },
    { time: '2026-11-21T10:16:02.004' },
    { time: '2026-11-21' },
  ])('refuses %o', (difference) => {
    expect(validate({ ...example, ...difference })).toBe(false);
  });
});

test('the example of a requested change is valid', () => {
  const { examples } = document.components.messages['partner-api.change.requested.v1'];
  expect(z.safeParse(requestedChange(), examples[0].payload).error).toBeUndefined();
});

test('every part of a payload that code generators turn into a type has a unique name', () => {
  const partsOf = (value: unknown): Record<string, unknown>[] =>
    typeof value === 'object' && value !== null
      ? [value as Record<string, unknown>, ...Object.values(value).flatMap(partsOf)]
      : [];
  const types = messages
    .flatMap(({ payload }) => partsOf(payload))
    .filter((part) => Array.isArray(part.enum) || [part.type].flat().includes('object'));
  const names = types.map(({ $id }) => $id);
  expect(names).toContain('CircuitReportedV1DataHeatingReported');
  for (const name of names) expect(name).toMatch(/^[A-Z][A-Za-z0-9]+$/);
  expect(new Set(names).size).toBe(names.length);
});

describe('event promises', () => {
  // biome-ignore lint/suspicious/noExplicitAny: what a change breaks is not a matter of types
  type Changeable = any;

  const written = eventsText();
  const promised = readFileSync(eventPromisesFile, 'utf8').trim().split('\n');

  const brokenBy = (change: (messages: Changeable) => void): string[] => {
    const document = JSON.parse(written);
    change(document.components.messages);
    return brokenPromises(promised, eventPromisesOf(document));
  };

  const dataOf = (messages: Changeable, type: string) => messages[type].payload.properties.data;
  const heatingIn = (messages: Changeable) => dataOf(messages, 'circuit.reported.v1').oneOf[0].properties.reported;
  const desiredIn = (messages: Changeable) => dataOf(messages, 'partner-api.change.requested.v1').properties.desired;
  const heating = 'circuit.reported.v1.data(family heating).reported';

  test.each<[string, string, (messages: Changeable) => void]>([
    [
      'a sender has to send more',
      `${heating} needs nothing`,
      (messages) => {
        heatingIn(messages).required = ['awayMode'];
      },
    ],
    [
      'a value is no longer accepted',
      'time-program.reported.v1.data.family takes "dhw"',
      (messages) => dataOf(messages, 'time-program.reported.v1').properties.family.enum.pop(),
    ],
    [
      'fewer values are accepted',
      `${heating}.roomSetpointCelsius takes number | null, minimum -50, maximum 150`,
      (messages) => {
        heatingIn(messages).properties.roomSetpointCelsius.maximum = 28;
      },
    ],
    [
      'a property that senders send is removed',
      'function.unblocked.v1.data.function takes string, minLength 1',
      (messages) => delete dataOf(messages, 'function.unblocked.v1').properties.function,
    ],
    [
      'a type is no longer accepted',
      'gateway.removed.v1 needs specversion, id, source, type, subject, time, data',
      (messages) => delete messages['gateway.removed.v1'],
    ],
    [
      'a receiver no longer gets a property',
      'partner-api.change.requested.v1.data.version: integer, format int32, minimum 0, maximum 2147483647',
      (messages) => delete dataOf(messages, 'partner-api.change.requested.v1').properties.version,
    ],
    [
      'a receiver gets an unknown value',
      'partner-api.change.requested.v1.data.item(kind circuit).family: "heating" | "dhw"',
      (messages) =>
        dataOf(messages, 'partner-api.change.requested.v1').properties.item.oneOf[0].properties.family.enum.push(
          'cooling',
        ),
    ],
  ])('a promise is broken if %s', (_, promise, change) => {
    expect(promised).toContain(promise);
    expect(brokenBy(change)).toContain(promise);
  });

  test('no promise is broken by optional additions for senders, or another property for receivers', () => {
    const broken = brokenBy((messages) => {
      heatingIn(messages).properties.awayMode = { type: 'boolean' };
      dataOf(messages, 'time-program.reported.v1').properties.family.enum.push('solar');
      desiredIn(messages).anyOf[0].properties.awayMode = { type: 'boolean' };
    });
    expect(broken).toEqual([]);
  });
});
