import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { compileScheduledRules } from '../src/background/rules.ts';
import { type DynamoDbProxy, startDynamoDbProxy } from '../src/dynamodb/dynamodb-proxy.ts';
import { createFunctions, type FunctionPool } from '../src/functions/functions.ts';
import { createResolver } from '../src/template/intrinsics.ts';
import { stackWithFunction, temporaryDirectory, timeFactor } from './fixture.ts';

let proxy: DynamoDbProxy;
const pools: FunctionPool[] = [];
beforeAll(async () => {
  proxy = await startDynamoDbProxy(inject('dynamoDbEndpoint'));
});
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.close()));
  await proxy.close();
});

const functionArn = { 'Fn::GetAtt': ['Function1', 'Arn'] };
const rule = { ScheduleExpression: 'cron(0 8 * * ? *)', State: 'ENABLED', Targets: [{ Arn: functionArn, Id: 'T' }] };
const permission = {
  Action: 'lambda:InvokeFunction',
  FunctionName: functionArn,
  Principal: 'events.amazonaws.com',
  SourceArn: { 'Fn::GetAtt': ['Rule1', 'Arn'] },
};

/** Returns the compiled rule of a stack with a function, a rule that invokes it and the permission to do so. */
const ruleWith = ({ source = '', rule: ruleChange = {}, permission: permissionChange = {} }) => {
  const stack = stackWithFunction(`export const handler = async (event) => { ${source} };`, {
    resources: {
      Rule1: { Type: 'AWS::Events::Rule', Properties: { ...rule, ...ruleChange } },
      Permission1: { Type: 'AWS::Lambda::Permission', Properties: { ...permission, ...permissionChange } },
    },
  });
  const resolve = createResolver(stack, { tablePrefix: '' });
  const directories = { codeDirectory: temporaryDirectory(), logsDirectory: temporaryDirectory() };
  const functions = createFunctions(stack, { resolve, proxy, timeFactor, ...directories });
  pools.push(...functions.values());
  const [compiled] = compileScheduledRules(stack, resolve, functions);
  return compiled as NonNullable<typeof compiled>;
};

test('a rule sends its function a scheduled event, and has run when the function has answered', async () => {
  const source = "if (event.source !== 'aws.events' || event['detail-type'] !== 'Scheduled Event') throw event;";
  await expect(ruleWith({ source }).run()).resolves.toBeUndefined();
});

test('a failure of a function is reported with its reason', async () => {
  await expect(ruleWith({ source: "throw new Error('no luck');" }).run()).rejects.toThrow(
    /^The function arn:.*:fixture failed: its handler threw: no luck\.$/,
  );
});

test.each([
  ['nobody', { Principal: 'apigateway.amazonaws.com' }],
  ['another rule', { SourceArn: 'arn:aws:events:eu-central-1:000000000000:rule/other' }],
])('a function that permits %s to invoke it is not invoked', async (_, change) => {
  await expect(ruleWith({ permission: change }).run()).rejects.toThrow('does not permit the rule Rule1 to invoke it');
});

test('a disabled rule invokes no function', () => {
  expect(ruleWith({ rule: { State: 'DISABLED' } })).toBeUndefined();
});

test.each([
  ['an unknown state', { State: 'PAUSED' }, 'state of a rule PAUSED'],
  [
    'a rule that also has an event pattern',
    { EventPattern: { source: ['x'] } },
    'a schedule or a pattern; Rule1 has both or neither',
  ],
  ['a transformed input', { Targets: [{ Arn: functionArn, Id: 'T', Input: '{}' }] }, 'Input'],
])('%s is an error that names the unknown part', (_, change, message) => {
  expect(() => ruleWith({ rule: change })).toThrow(message);
});
