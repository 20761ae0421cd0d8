import { describe, expect, test } from 'vitest';
import { compileInputTemplate } from '../../../../local/aws/events/input-template.ts';

const record = {
  eventName: 'INSERT',
  dynamodb: { Keys: { id: { S: 'a"b' } }, NewImage: { flag: { BOOL: false }, 'odd-name': { N: '7' } } },
};

describe('an input template', () => {
  test('puts values in place of paths, each as JSON of its type', () => {
    const detailOf = compileInputTemplate(
      '{"id":<$.dynamodb.Keys.id.S>,"flag":<$.dynamodb.NewImage.flag.BOOL>,"deep":[<$.dynamodb.NewImage.odd-name>]}',
    );
    expect(detailOf(record)).toEqual({ id: 'a"b', flag: false, deep: [{ N: '7' }] });
  });

  test.each([
    ['{"arn":<aws.pipes.pipe-arn>}', 'does not know the path aws.pipes.pipe-arn'],
    ['{"first":<$.items[0]>}', 'does not know the path $.items[0]'],
    ['plain text', 'knows input templates of JSON'],
  ])('%s is an error', (template, message) => {
    expect(() => compileInputTemplate(template)).toThrow(message);
  });

  test('a path that leads nowhere is an error when it is followed', () => {
    const detailOf = compileInputTemplate('{"id":<$.dynamodb.OldImage.id.S>}');
    expect(() => detailOf(record)).toThrow('There is nothing at $.dynamodb.OldImage.id.S of the event.');
  });
});
