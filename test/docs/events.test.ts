import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { eventsText } from '../../docs/generate/events/events-document.ts';
import { inboundEventTypes } from '../../lambdas/api/inbound-events/inbound-events.ts';
import { requestedChange } from '../../lambdas/api/requested-change.ts';

type Message = { name: string; payload: Record<string, unknown>; examples: { payload: Record<string, unknown> }[] };

const text = eventsText();
const document = JSON.parse(text);
const messages: Message[] = Object.values(document.components.messages);

/** Another program's view of AsyncAPI 3. */
const faultsOf = async (source: string): Promise<string[]> => {
  const config = await createConfig({
    extends: ['recommended-strict'],
    // Callers are known to IAM, for which the format has no scheme.
    rules: { 'security-defined': 'off', 'info-license': 'off' },
  });
  const problems = await lintFromString({ source, absoluteRef: '/events.json', config });
  return problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer} ${message}`);
};

test('the document is AsyncAPI 3', async () => {
  expect(await faultsOf(text)).toEqual([]);
});

test('the validator would find what is wrong', async () => {
  const broken = structuredClone(document);
  broken.operations.takePortalEvents.action = 'take';
  broken.channels.gatewayReports.messages['change.refused.v1'].$ref = '#/components/messages/change.denied.v1';
  broken.components.messages['gateway.removed.v1'].payload.type = 'record';
  broken.info.title = undefined;
  expect((await faultsOf(JSON.stringify(broken))).length).toBe(4);
});

test('it has each type of events', () => {
  expect(messages.map(({ name }) => name)).toEqual([...inboundEventTypes, 'partner-api.change.requested.v1']);
});

describe.each(messages)('the schema of $name', ({ payload, examples }) => {
  const ajv = new Ajv({ allErrors: true, formats: { int32: true } });
  addFormats.default(ajv);
  const validate = ajv.compile(payload);
  const example = examples[0]?.payload ?? {};

  test('allows its example, and what a later version may add to it', () => {
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
    { id: 'a/b' },
    { id: 'x'.repeat(65) },
    { source: 'somebody' },
    { type: 'circuit.reported.v2' },
    { subject: 'a b' },
    { time: '2026-11-21T10:16:02Z' },
    { time: '2026-11-21T11:16:02.004+01:00' },
  ])('refuses %o', (difference) => {
    expect(validate({ ...example, ...difference })).toBe(false);
  });
});

test('the example of a requested change is one', () => {
  const { examples } = document.components.messages['partner-api.change.requested.v1'];
  expect(z.safeParse(requestedChange(), examples[0].payload).error).toBeUndefined();
});

test('every part of a payload that generators of code make a type of has a name of its own', () => {
  const partsOf = (value: unknown): Record<string, unknown>[] =>
    typeof value === 'object' && value !== null
      ? [value as Record<string, unknown>, ...Object.values(value).flatMap(partsOf)]
      : [];
  const types = messages
    .flatMap(({ payload }) => partsOf(payload))
    .filter((part) => Array.isArray(part.enum) || part.type === 'object');
  const names = types.map(({ $id }) => $id);
  expect(names).toContain('CircuitReportedV1DataHeatingReported');
  for (const name of names) expect(name).toMatch(/^[A-Z][A-Za-z0-9]+$/);
  expect(new Set(names).size).toBe(names.length);
});
