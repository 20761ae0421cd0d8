import { expect, inject, test } from 'vitest';
import type { BusEvent } from '../../../../local/aws/events/event-bus.ts';
import { compilePipes } from '../../../../local/aws/events/pipes.ts';
import { createResolver } from '../../../../local/aws/template/intrinsics.ts';
import { loadStack } from '../../../../local/aws/template/template.ts';

// biome-ignore lint/suspicious/noExplicitAny: the properties of resources of several types.
type Properties = Record<string, any>;

/** The pipe of the synthesized stack, something of it changed, and what it puts on its bus. */
const pipeWith = (change: (pipe: Properties, role: Properties) => void = () => undefined) => {
  const stack = structuredClone(loadStack(inject('assemblyDirectory')));
  const propertiesOf = (id: string) => stack.template.Resources[id]?.Properties as Properties;
  const [pipeId = ''] =
    Object.entries(stack.template.Resources).find(([, { Type }]) => Type === 'AWS::Pipes::Pipe') ?? [];
  const pipe = propertiesOf(pipeId);
  const busArn = pipe.Target;
  change(pipe, propertiesOf(pipe.RoleArn['Fn::GetAtt'][0]));

  const put: BusEvent[] = [];
  const resolve = createResolver(stack, { tablePrefix: '' });
  const buses = new Map([[resolve<string>(busArn), { put: (event: BusEvent) => String(put.push(event)) }]]);
  return { pipes: compilePipes(stack, resolve, buses), put };
};

const row = {
  companyId: { S: 'acme' },
  sk: { S: 'k1#P14D' },
  keyId: { S: 'k1' },
  expiresAt: { S: '2036-09-10T12:00:00Z' },
  remaining: { S: 'P14D' },
  isLastKey: { BOOL: true },
  noticedAt: { S: '2036-08-27T12:00:00Z' },
  removeAt: { N: '2104000000' },
};

test('the stack’s pipe makes a notice of a new row, and nothing of one that is removed', () => {
  const { pipes, put } = pipeWith();
  for (const eventName of ['INSERT', 'REMOVE']) pipes[0]?.take({ eventName, dynamodb: { NewImage: row } });
  expect(put).toEqual([
    {
      source: 'partner-api',
      detailType: 'API key expiring',
      detail: {
        noticeId: 'k1#P14D',
        companyId: 'acme',
        keyId: 'k1',
        expiresAt: '2036-09-10T12:00:00Z',
        remaining: 'P14D',
        isLastKey: true,
      },
    },
  ]);
});

test.each([
  [
    'read the stream',
    0,
    'dynamodb:DescribeStream on arn:aws:dynamodb:eu-central-1:000000000000:table/KeyNotices/stream',
  ],
  [
    'put on the bus',
    1,
    'events:PutEvents on arn:aws:events:eu-central-1:000000000000:event-bus/PartnerApi-local-notices',
  ],
])('a role that may not %s is an error before anything runs', (_, statement, refused) => {
  expect(() =>
    pipeWith((_pipe, role) => {
      role.Policies[0].PolicyDocument.Statement.splice(statement, 1);
    }),
  ).toThrow(new RegExp(`^The role of the pipe PartnerApi-local-NoticesPipe\\w+ does not allow ${refused}`));
});

test.each([
  ['another starting position', (pipe: Properties) => startAt(pipe, 'LATEST'), 'starting position LATEST'],
  ['an unknown parameter', (pipe: Properties) => enrich(pipe), 'Enrichment'],
  ['another kind of target', (pipe: Properties) => retarget(pipe), 'not to arn:aws:sqs:eu-central-1:1:q'],
])('%s is an error that names it', (_, change, message) => {
  expect(() => pipeWith(change)).toThrow(message);
});

const startAt = (pipe: Properties, position: string) => {
  pipe.SourceParameters.DynamoDBStreamParameters.StartingPosition = position;
};
const enrich = (pipe: Properties) => {
  pipe.Enrichment = 'arn:aws:lambda:eu-central-1:1:function:f';
};
const retarget = (pipe: Properties) => {
  pipe.Target = 'arn:aws:sqs:eu-central-1:1:q';
};
