import { expect, test } from 'vitest';
import { resourcesOf, templateOfStage } from './synthesized.ts';

test('logs that metrics or rules are made from are in the standard class, the access log in the cheap one', async () => {
  const groups = resourcesOf(await templateOfStage('example'), 'AWS::Logs::LogGroup');
  const classes = groups.map(([id, { Properties }]) => [id.slice(0, -8), Properties.LogGroupClass ?? 'STANDARD']);
  expect(Object.fromEntries(classes)).toEqual({
    RequestLog: 'STANDARD',
    AccessLog: 'INFREQUENT_ACCESS',
    JobLog: 'STANDARD',
    ConsumerLog: 'STANDARD',
  });
});
