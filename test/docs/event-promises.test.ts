import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { eventPromisesOf } from '../../docs/generate/events/event-promises.ts';
import { eventsText } from '../../docs/generate/events/events-document.ts';
import { eventPromisesFile } from '../../docs/generate/generated-files.ts';
import { brokenPromises } from '../../partner/openapi/compatibility.ts';

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
    'a sender has to tell more',
    `${heating} needs operationMode, roomSetpointCelsius, activeTimeProgramId, roomTemperatureCelsius, supplyTemperatureCelsius`,
    (messages) => heatingIn(messages).required.push('awayMode'),
  ],
  [
    'a value is taken no longer',
    `${heating}.operationMode takes "off"`,
    (messages) => heatingIn(messages).properties.operationMode.enum.pop(),
  ],
  [
    'fewer values are taken',
    `${heating}.roomSetpointCelsius takes number, minimum 5, maximum 30, multipleOf 0.5`,
    (messages) => {
      heatingIn(messages).properties.roomSetpointCelsius.maximum = 28;
    },
  ],
  [
    'a property goes that senders tell',
    'function.unblocked.v1.data.function takes "dhwTimePrograms"',
    (messages) => delete dataOf(messages, 'function.unblocked.v1').properties.function,
  ],
  [
    'a type is taken no longer',
    'gateway.removed.v1 needs specversion, id, source, type, subject, time, data',
    (messages) => delete messages['gateway.removed.v1'],
  ],
  [
    'a receiver misses what it was told',
    'partner-api.change.requested.v1.data.version: integer, format int32, minimum 0, maximum 2147483647',
    (messages) => delete dataOf(messages, 'partner-api.change.requested.v1').properties.version,
  ],
  [
    'a receiver finds a value that it cannot know',
    'partner-api.change.requested.v1.data.desired(1).operationMode?: "auto" | "manual" | "off"',
    (messages) => desiredIn(messages).anyOf[0].properties.operationMode.enum.push('party'),
  ],
])('a promise is broken where %s', (_, promise, change) => {
  expect(promised).toContain(promise);
  expect(brokenBy(change)).toContain(promise);
});

test('none is broken by what senders may tell more, and by a property more for receivers', () => {
  const broken = brokenBy((messages) => {
    heatingIn(messages).properties.awayMode = { type: 'boolean' };
    heatingIn(messages).properties.operationMode.enum.push('party');
    desiredIn(messages).anyOf[0].properties.awayMode = { type: 'boolean' };
  });
  expect(broken).toEqual([]);
});
