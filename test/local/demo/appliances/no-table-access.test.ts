import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { importsBelow } from '../../../repository/imports.ts';

/** Everything that the simulated appliances and their backend consist of, however far away. */
const reached = (): ReadonlySet<string> => {
  const imports = Map.groupBy(importsBelow(resolve('.'), ['config', 'lambdas', 'local']), ({ from }) => from);
  const files = new Set([...imports.keys()].filter((file) => file.startsWith('local/demo/appliances/')));
  // A set hands out what is added while it is read.
  for (const file of files) for (const { to } of imports.get(file) ?? []) files.add(to);
  return files;
};

test('the gateway backend has queues, and no way to a table', () => {
  const files = [...reached()];
  expect(files).toContain('@aws-sdk/client-sqs');
  expect(files.filter((file) => /dynamodb|^lambdas\/data\/|^packages\//.test(file))).toEqual([]);
});
