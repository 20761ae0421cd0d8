import { describe, expect, test } from 'vitest';
import { compileDailySchedule } from '../../../../local/aws/events/daily-schedule.ts';
import { compilePattern } from '../../../../local/aws/events/event-pattern.ts';
import { compileInputTemplate } from '../../../../local/aws/events/input-template.ts';

const record = {
  eventName: 'INSERT',
  dynamodb: { Keys: { id: { S: 'a"b' } }, NewImage: { flag: { BOOL: false }, 'odd-name': { N: '7' } } },
};

describe('an event pattern', () => {
  test.each([
    ['{"eventName":["INSERT"]}', true],
    ['{"eventName":["MODIFY","INSERT"]}', true],
    ['{"eventName":["REMOVE"]}', false],
    ['{"eventName":["INSERT"],"dynamodb":{"Keys":{"id":{"S":["other"]}}}}', false],
    ['{"dynamodb":{"NewImage":{"flag":{"BOOL":[false]}}}}', true],
    ['{"dynamodb":{"OldImage":{"flag":{"BOOL":[false]}}}}', false],
    ['{}', true],
  ])('%s: %s', (pattern, passes) => {
    expect(compilePattern(pattern)(record)).toBe(passes);
  });

  test.each([
    ['{"eventName":[{"prefix":"INS"}]}', '{"prefix":"INS"}'],
    ['{"$or":[{"eventName":["INSERT"]}]}', '"$or"'],
    ['{"eventName":"INSERT"}', '"INSERT"'],
  ])('%s is an error that names what is unknown', (pattern, unknown) => {
    expect(() => compilePattern(pattern)).toThrow(`The local run does not know ${unknown} in the event pattern`);
  });
});

describe('an input template', () => {
  test('puts values in place of paths, each as JSON of its type', () => {
    const detailOf = compileInputTemplate(
      '{"id":<$.dynamodb.Keys.id.S>,"flag":<$.dynamodb.NewImage.flag.BOOL>,"deep":[<$.dynamodb.NewImage.odd-name>]}',
    );
    expect(detailOf(record)).toEqual({ id: 'a"b', flag: false, deep: [{ N: '7' }] });
  });

  test.each([
    ['{"arn":<aws.pipes.pipe-arn>}', 'does not know <aws.pipes.pipe-arn>'],
    ['{"first":<$.items[0]>}', 'does not know <$.items[0]>'],
    ['plain text', 'knows input templates of JSON'],
  ])('%s is an error', (template, message) => {
    expect(() => compileInputTemplate(template)).toThrow(message);
  });

  test('a path that leads nowhere is an error when it is followed', () => {
    const detailOf = compileInputTemplate('{"id":<$.dynamodb.OldImage.id.S>}');
    expect(() => detailOf(record)).toThrow('There is nothing at $.dynamodb.OldImage.id.S of the event.');
  });
});

describe('a schedule', () => {
  test.each([
    ['2036-03-10T07:59:59Z', '2036-03-10T08:30:00Z'],
    ['2036-03-10T08:30:00Z', '2036-03-11T08:30:00Z'],
    ['2036-12-31T23:00:00Z', '2037-01-01T08:30:00Z'],
  ])('after %s is due at %s', (now, due) => {
    expect(compileDailySchedule('cron(30 8 * * ? *)')(Date.parse(now))).toBe(Date.parse(due));
  });

  test.each(['rate(1 day)', 'cron(0 8 ? * MON *)', 'cron(0/5 8 * * ? *)', 'cron(0 24 * * ? *)'])(
    '%s is an error',
    (expression) => {
      expect(() => compileDailySchedule(expression)).toThrow(
        `The local run knows schedules like cron(0 8 * * ? *), not ${expression}.`,
      );
    },
  );
});
