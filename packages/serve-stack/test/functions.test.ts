import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { functionNamed, readFunctions, unpackCode } from '../src/functions/function-definitions.ts';
import { readFunctionPermissions } from '../src/iam/access.ts';
import { createResolver } from '../src/template/intrinsics.ts';
import type { Resource } from '../src/template/stack.ts';
import { stackWithFunction, temporaryDirectory } from './fixture.ts';

describe('function definitions', () => {
  const functionsWith = (properties: Readonly<Record<string, unknown>>) => {
    const stack = stackWithFunction('', { properties });
    return readFunctions(stack.template, createResolver(stack));
  };

  describe('an unknown property of a function is an error that names it', () => {
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

    test('or an error names the existing ones', () => {
      expect(() => functionNamed(functions, 'Stack', 'write')).toThrow('no function write. It has read.');
    });
  });
});

describe('function versions', () => {
  const version: Resource = { Type: 'AWS::Lambda::Version', Properties: { FunctionName: { Ref: 'Function1' } } };
  const aliasOf = (properties: object): Resource => ({
    Type: 'AWS::Lambda::Alias',
    Properties: {
      FunctionName: { Ref: 'Function1' },
      Name: 'live',
      FunctionVersion: { 'Fn::GetAtt': ['V1', 'Version'] },
      ...properties,
    },
  });
  const arn = 'arn:aws:lambda:eu-central-1:000000000000:function:fixture';

  const stackWith = (resources: Readonly<Record<string, Resource>>) => {
    const stack = stackWithFunction('', { resources });
    return { ...stack, resolve: createResolver(stack) };
  };
  const functionsWith = (resources: Readonly<Record<string, Resource>>) => {
    const { template, resolve } = stackWith(resources);
    return readFunctions(template, resolve);
  };

  describe('a function runs as its published version', () => {
    test('as its version, by the ARNs of the version and its aliases', () => {
      expect(functionsWith({ V1: version, Live: aliasOf({}) })).toMatchObject([
        { arn, version: '1', qualifiedArns: [`${arn}:1`, `${arn}:live`] },
      ]);
    });

    test('or as the latest code, if no version is published', () => {
      const FunctionVersion = '$LATEST';
      expect(functionsWith({})).toMatchObject([{ version: '$LATEST', qualifiedArns: [] }]);
      expect(functionsWith({ Live: aliasOf({ FunctionVersion }) })).toMatchObject([
        { version: '$LATEST', qualifiedArns: [`${arn}:live`] },
      ]);
    });
  });

  test('the permission to invoke a function does not include its alias', () => {
    const permissionOn = (FunctionName: unknown): Resource => ({
      Type: 'AWS::Lambda::Permission',
      Properties: { Action: 'lambda:InvokeFunction', Principal: 'apigateway.amazonaws.com', FunctionName },
    });
    const isPermitted = (FunctionName: unknown, invoked: string) => {
      const { template, resolve } = stackWith({ V1: version, Live: aliasOf({}), P1: permissionOn(FunctionName) });
      return readFunctionPermissions(template, resolve)('apigateway.amazonaws.com', invoked, 'any');
    };
    expect(isPermitted({ Ref: 'Live' }, `${arn}:live`)).toBe(true);
    expect(isPermitted({ Ref: 'Function1' }, `${arn}:live`)).toBe(false);
    expect(isPermitted({ Ref: 'Live' }, arn)).toBe(false);
  });

  test.each([
    [
      'an alias of a version of an earlier deployment',
      { V1: version, Live: aliasOf({ FunctionVersion: '7' }) },
      'Live leads to: 7',
    ],
    [
      'an alias that splits its traffic',
      { V1: version, Live: aliasOf({ RoutingConfig: {} }) },
      'Live (AWS::Lambda::Alias): RoutingConfig',
    ],
    [
      'an alias of a function outside the stack',
      { V1: version, Live: aliasOf({ FunctionName: 'other' }) },
      'function of Live: arn:aws',
    ],
    ['two versions of one state', { V1: version, V2: version }, 'V1 and V2 publish one state'],
    [
      'provisioned concurrency',
      { V1: { ...version, Properties: { ...version.Properties, ProvisionedConcurrencyConfig: {} } } },
      'V1 (AWS::Lambda::Version): ProvisionedConcurrencyConfig',
    ],
  ] as const)('%s is an error that names it', (_, resources, message) => {
    expect(() => functionsWith(resources)).toThrow(message);
  });
});
