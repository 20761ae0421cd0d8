import { describe, expect, test } from 'vitest';
import { compilePattern } from '../../src/background/rules.ts';

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
