import { requireKnown } from '../errors/require-known.ts';
import { UserFacingError } from '../errors/user-facing-error.ts';
import { principalInRole } from '../iam/principal.ts';
import { requireGrants, streamAccesses } from '../iam/required-grants.ts';
import type { Resolve } from '../template/intrinsics.ts';
import { readResources } from '../template/resources.ts';
import type { Stack } from '../template/template.ts';
import type { EventBus } from './event-bus.ts';
import { compilePattern } from './event-pattern.ts';
import { compileInputTemplate } from './input-template.ts';

type PipeProperties = {
  readonly RoleArn: string;
  readonly Source: string;
  readonly SourceParameters: {
    readonly DynamoDBStreamParameters: Readonly<Record<string, unknown>>;
    readonly FilterCriteria?: { readonly Filters: readonly { readonly Pattern: string }[] };
  };
  readonly Target: string;
  readonly TargetParameters: {
    readonly EventBridgeEventBusParameters: { readonly DetailType: string; readonly Source: string };
    readonly InputTemplate: string;
  };
};

const knownProperties = [
  ...['Description', 'Name', 'RoleArn', 'Source', 'SourceParameters', 'Tags', 'Target', 'TargetParameters'],
];

/** A pipe from the stream of a table to an event bus. */
export type Pipe = {
  readonly name: string;
  readonly sourceArn: string;
  /** Puts what the pipe makes of a record on its bus, if it lets the record pass. */
  readonly take: (record: unknown) => void;
};

/** The template's pipes. One whose role may not read its source or put on its bus is an error here. */
export const compilePipes = (stack: Stack, resolve: Resolve, buses: ReadonlyMap<string, EventBus>): Pipe[] =>
  readResources<PipeProperties>(stack.template, resolve, 'AWS::Pipes::Pipe', knownProperties).map((pipe) => {
    requireKnownParameters(pipe);
    const bus = buses.get(pipe.Target);
    if (!bus)
      throw new UserFacingError(`The local run knows pipes to the template's event buses, not to ${pipe.Target}.`);
    const name = resolve<string>({ Ref: pipe.logicalId });
    requireGrants(`The role of the pipe ${name}`, principalInRole(stack.template, resolve, pipe.RoleArn, name), [
      ...streamAccesses(pipe.Source),
      { action: 'events:PutEvents', resource: pipe.Target },
    ]);

    const { FilterCriteria } = pipe.SourceParameters;
    const tests = (FilterCriteria?.Filters ?? []).map(({ Pattern }) => compilePattern(Pattern));
    const { EventBridgeEventBusParameters: event, InputTemplate } = pipe.TargetParameters;
    const detailOf = compileInputTemplate(InputTemplate);
    return {
      name,
      sourceArn: pipe.Source,
      take: (record) => {
        if (tests.length > 0 && !tests.some((passes) => passes(record))) return;
        bus.put({ source: event.Source, detailType: event.DetailType, detail: detailOf(record) });
      },
    };
  });

const requireKnownParameters = ({ SourceParameters, TargetParameters }: PipeProperties) => {
  const known = (part: object | undefined, names: readonly string[]) =>
    requireKnown('pipe parameter', Object.keys(part ?? {}), names);
  known(SourceParameters, ['DynamoDBStreamParameters', 'FilterCriteria']);
  known(SourceParameters.DynamoDBStreamParameters, ['BatchSize', 'StartingPosition']);
  requireKnown(
    'starting position',
    [String(SourceParameters.DynamoDBStreamParameters.StartingPosition)],
    ['TRIM_HORIZON'],
  );
  known(TargetParameters, ['EventBridgeEventBusParameters', 'InputTemplate']);
  known(TargetParameters.EventBridgeEventBusParameters, ['DetailType', 'Source']);
};
