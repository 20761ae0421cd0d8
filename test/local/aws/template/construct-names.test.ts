import { expect, test } from 'vitest';
import { constructNamesOf } from '../../../../local/aws/template/construct-names.ts';

const at = (logicalId: string, path?: string) => ({
  ...{ logicalId, Type: 'AWS::SQS::Queue' },
  ...(path !== undefined && { Metadata: { 'aws:cdk:path': path } }),
});

test('a resource has the name of its construct, with as many of those around it as tell it from others', () => {
  const resources = [
    at('A', 'Stack/Tables/Books/Resource'),
    at('B', 'Stack/orders/Queue/Resource'),
    at('C', 'Stack/returns/Queue/Resource'),
    at('D', 'Stack/one/x/Dead/Resource'),
    at('E', 'Stack/two/x/Dead/Resource'),
    at('F', 'Stack/same'),
    at('G', 'Stack/same'),
    at('H'),
  ];
  expect(Object.fromEntries(constructNamesOf(resources))).toEqual({
    A: 'Books',
    B: 'orders-Queue',
    C: 'returns-Queue',
    D: 'one-x-Dead',
    E: 'two-x-Dead',
    F: 'F',
    G: 'G',
    H: 'H',
  });
});
