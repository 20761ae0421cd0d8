import { beforeAll, describe, expect, test } from 'vitest';
import { stageConfig } from '../../config/schema.ts';
import type { Resource, Template } from '../../infra/assembly.ts';
import { refusedChanges } from '../../infra/deploy/refusals.ts';
import { apiVersion } from '../../lambdas/api/version.ts';
import { keptVersions } from './sets.ts';
import { hasTemplates, readTemplates, synthesisOf, type Templates } from './templates.ts';
import { planBetween } from './update-plan.ts';

/**
 * A deployed stage is updated from the templates of its version. What such an update would reject or lose fails here, with the
 * deployment's messages.
 */
const versions = keptVersions.filter(hasTemplates);
const cases = versions.flatMap((version) =>
  Object.keys(readTemplates(version)).map((configuration) => [version, configuration] as const),
);

test('each version has its templates: npm run golden keeps them', () => {
  const without = keptVersions.filter((version) => !hasTemplates(version));
  const restored =
    'These sets have no templates.json.gz: restore it with git, or run npm run golden if it is the set of an unreleased version.';
  expect(without, restored).toEqual([]);
  expect(versions, `There is no test/golden/${apiVersion} with templates. Run npm run golden.`).toContain(apiVersion);
});

const syntheses = new Map<string, ReturnType<typeof synthesisOf>>();

/** Returns a version's templates of a configuration, and the present ones, synthesized once per distinct configuration. */
const todays = async (version: string, name: string) => {
  const { configuration, ...kept } = readTemplates(version)[name] as Templates[string];
  const key = JSON.stringify(configuration);
  const synthesis = syntheses.get(key) ?? synthesisOf(stageConfig.parse(configuration));
  syntheses.set(key, synthesis);
  return { kept, now: await synthesis };
};

describe.each(cases)('from version %s, with the configuration “%s”', (version, name) => {
  const remedy = `npm run deploy refuses to update a stage of ${version} to this template: do what each sentence says. Only if no stage was ever deployed from ${version}, npm run golden may write its set anew.`;

  test('a stage is updated to the present code without a rejection', async () => {
    const { kept, now } = await todays(version, name);
    expect(refusedChanges(planBetween(kept.stacks, now.stacks)), remedy).toEqual([]);
  });

  test('the permissions of deployments are updated without a rejection', async () => {
    const { kept, now } = await todays(version, name);
    expect(refusedChanges(planBetween({ stage: kept.access }, { stage: now.access })), remedy).toEqual([]);
  });
});

describe('an update from the newest set is rejected, with the remedy, if the present template had', () => {
  let stacks: Readonly<Record<string, Template>>;
  beforeAll(async () => {
    ({ stacks } = (await todays(versions.at(-1) ?? '', 'options')).now);
  });

  type Resources = Record<string, Resource>;
  /** Returns the stage's stacks with changed resources. */
  const changed = (change: (stacks: Record<string, Resources>) => void) => {
    const copy = structuredClone(
      Object.fromEntries(Object.entries(stacks).map(([name, { Resources }]) => [name, { ...Resources }])),
    );
    change(copy);
    const result = Object.entries(copy).map(([name, Resources]) => [name, { ...stacks[name], Resources }]);
    return Object.fromEntries(result) as Record<string, Template>;
  };
  const find = (resources: Resources | undefined, pattern: RegExp): string =>
    Object.keys(resources ?? {}).find((id) => pattern.test(id)) ?? '';
  const stackOf = (copy: Record<string, Resources>, name: string) => copy[find(copy as never, new RegExp(name))];
  const move = (from: Resources | undefined, id: string, to: Resources | undefined, newId = id) => {
    if (!from?.[id] || !to) throw new Error(`There is no ${id} to move.`);
    to[newId] = from[id];
    delete from[id];
  };
  const setProperty = (resources: Resources | undefined, id: string, properties: object) => {
    if (!resources?.[id]) throw new Error(`There is no ${id}.`);
    resources[id] = { ...resources[id], Properties: { ...resources[id].Properties, ...properties } };
  };

  const apiIn = ({ stage }: Record<string, Resources>) => find(stage, /^Api.{8}$/);

  test.each<[string, (copy: Record<string, Resources>) => void, RegExp]>([
    [
      'a renamed function',
      ({ stage }) => move(stage, find(stage, /^EndpointsgetContractFunction.{8}$/), stage, 'RenamedFunction'),
      /PartnerApi-golden-getContract would move from .* to RenamedFunction\..*Give the construct its old name/,
    ],
    [
      'a renamed queue',
      ({ stage }) => move(stage, find(stage, /gatewayReportsQueue/), stage, 'RenamedQueue'),
      /would be deleted, together with its messages.*Put it back into the template under this logical id/,
    ],
    [
      'a renamed bus',
      ({ stage }) => move(stage, find(stage, /^IntegrationsPortalBus.{8}$/), stage, 'RenamedBus'),
      /PartnerApi-golden-portal-events would move from/,
    ],
    [
      'a renamed table',
      ({ stage }) => move(stage, find(stage, /^Contracts.{8}$/), stage, 'RenamedTable'),
      /would be removed from the stack\. .*Put it back into the template\./,
    ],
    [
      'another key of a table that is not retained',
      ({ stage }) => setProperty(stage, find(stage, /^Events.{8}$/), { KeySchema: [] }),
      /would be replaced by an empty one because of KeySchema\. You would lose the feeds of all partners.*--give-up Events/,
    ],
    [
      'a path in the stack of the stage',
      (copy) => {
        const id = find(stackOf(copy, 'Methods'), /^contracts.{8}$/);
        move(stackOf(copy, 'Methods'), id, copy.stage);
        const api = apiIn(copy);
        setProperty(copy.stage, id, {
          RestApiId: { Ref: api },
          ParentId: { 'Fn::GetAtt': [api, 'RootResourceId'] },
        });
      },
      /AWS::ApiGateway::Resource .* contracts would move from one stack to another/,
    ],
    [
      'a gateway response in the stack of the stage',
      (copy) => {
        const methods = stackOf(copy, 'Methods');
        move(methods, find(methods, /^THROTTLED.{8}$/), copy.stage, 'Moved');
        setProperty(copy.stage, 'Moved', { RestApiId: { Ref: apiIn(copy) } });
      },
      /AWS::ApiGateway::GatewayResponse .*THROTTLED would move from/,
    ],
    [
      'an alarm in the stack of the stage',
      (copy) => {
        const monitoring = stackOf(copy, 'Monitoring');
        move(monitoring, find(monitoring, /^Alarms(?!page|ticket)/), copy.stage);
      },
      /AWS::CloudWatch::Alarm .* would move from one stack to another/,
    ],
    [
      'no nested stack of methods',
      (copy) => {
        const id = find(copy as never, /Methods/);
        delete copy.stage?.[id];
        delete copy[id];
      },
      /is a nested stack.*Put the nested stack back/,
    ],
  ])('%s', (_, change, refusal) => {
    const refusals = refusedChanges(planBetween(stacks, changed(change)));
    expect(refusals).toContainEqual(expect.stringMatching(refusal));
  });

  test('nothing that is replaced routinely', () => {
    const next = changed((copy) => {
      move(copy.stage, find(copy.stage, /^ApiDeployment/), copy.stage, 'OtherDeployment');
      setProperty(copy.stage, find(copy.stage, /^EndpointsgetContractFunction.{8}$/), { Timeout: 6 });
    });
    const { changes } = planBetween(stacks, next);
    expect(changes.map(({ Action }) => Action).toSorted()).toEqual(['Add', 'Modify', 'Remove']);
    expect(refusedChanges(planBetween(stacks, next))).toEqual([]);
  });
});
