import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { functionNamed, readFunctions, unpackCode } from '../../src/functions/function-definitions.ts';
import { createResolver } from '../../src/template/intrinsics.ts';
import { stackWithFunction, temporaryDirectory } from '../fixture.ts';

const functionsWith = (properties: Readonly<Record<string, unknown>>) => {
  const stack = stackWithFunction('', { properties });
  return readFunctions(stack.template, createResolver(stack));
};

describe('what the local run does not know of a function is an error that names it', () => {
  test.each([
    ['layers', { Layers: [] }, 'property of Function1 (AWS::Lambda::Function): Layers'],
    ['an image', { Code: { ImageUri: 'x' } }, 'property of the code of Function1: ImageUri'],
    ['another runtime', { Runtime: 'python3.13' }, 'runtime python3.13 of Function1'],
    ['another kind of environment', { Environment: { Secrets: {} } }, 'environment of Function1: Secrets'],
    ['another kind of log', { LoggingConfig: { Destination: 'x' } }, 'logging of Function1: Destination'],
  ])('%s', (_, properties, message) => {
    expect(() => functionsWith(properties)).toThrow(message);
  });

  test('an asset that is no folder', () => {
    const file = join(temporaryDirectory(), 'code.zip');
    writeFileSync(file, '');
    const stack = { ...stackWithFunction(''), assetPaths: new Map([['code.zip', file]]) };
    const [definition] = functionsWith({});
    if (!definition) throw new Error('The fixture has a function.');
    expect(() => unpackCode(stack, definition, temporaryDirectory())).toThrow(`that of fixture is the file ${file}`);
  });
});

describe('a function is found by its name', () => {
  const functions = functionsWith({ FunctionName: 'Stack-read' });

  test.each(['Stack-read', 'read'])('%s', (name) => {
    expect(functionNamed(functions, 'Stack', name).name).toBe('Stack-read');
  });

  test('or an error names those that there are', () => {
    expect(() => functionNamed(functions, 'Stack', 'write')).toThrow('no function write. It has read.');
  });
});
