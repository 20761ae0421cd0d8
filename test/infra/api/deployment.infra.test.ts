import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { loadStageConfig } from '../../../config/load.ts';
import type { StageConfig } from '../../../config/schema.ts';
import { campaign, proven, sampleOf } from '../../support/campaign.ts';
import { resourcesOf, synthesize, type Template, theResource } from '../synthesized.ts';

/**
 * API Gateway serves the state of its last deployment. CloudFormation would accept a change that does not change the
 * deployment's logical id, but the change would never take effect.
 */
const config = loadStageConfig('example');
const modulePaths = {
  endpoints: '../../../lambdas/api/endpoints/endpoints.ts',
  problems: '../../../lambdas/api/problems.ts',
} as const;
let template: Template;
beforeAll(async () => {
  template = await synthesize(config);
});
afterEach(() => {
  for (const path of Object.values(modulePaths)) vi.doUnmock(path);
  vi.resetModules();
});

const deploymentId = (of: Template) => theResource(of, 'AWS::ApiGateway::Deployment')[0];

/** Returns the template with one changed entry of the API's own tables. */
const synthesizeWith = async (module: keyof typeof modulePaths, name: string, change: object): Promise<Template> => {
  vi.resetModules();
  vi.doMock(modulePaths[module], async (importOriginal) => {
    const original = await importOriginal<Record<string, Record<string, object>>>();
    // Changed in place, since functions of the module read its table too.
    Object.assign(original[module]?.[name] ?? {}, change);
    return original;
  });
  return synthesize(config);
};

test('equal sources give the same deployment and a byte-identical template', async () => {
  expect(JSON.stringify(await synthesize(config))).toBe(JSON.stringify(template));
});

test('the deployment depends on every method, resource, gateway response and permission to invoke', () => {
  const methods = resourcesOf(template, 'AWS::ApiGateway::Method');
  const permissions = resourcesOf(template, 'AWS::Lambda::Permission').filter(
    ([, { Properties }]) => Properties.Principal === 'apigateway.amazonaws.com',
  );
  expect(permissions).toHaveLength(methods.length);
  const others = ['Resource', 'GatewayResponse'].flatMap((kind) => resourcesOf(template, `AWS::ApiGateway::${kind}`));
  expect([...(theResource(template, 'AWS::ApiGateway::Deployment')[1].DependsOn ?? [])].sort()).toEqual(
    [...methods, ...permissions, ...others].map(([id]) => id).sort(),
  );
});

test('another registered address is a new deployment', proven, async () => {
  const [first, ...others] = config.companies as [StageConfig['companies'][number], ...StageConfig['companies']];
  const wider = { ...first, allowedCidrs: [...first.allowedCidrs, '198.51.100.8/32'] };
  const changed = await synthesize({ ...config, companies: [wider, ...others] });
  expect(deploymentId(changed)).not.toBe(deploymentId(template));
});

test.each(sampleOf([{ method: 'PATCH' }, { path: '/elsewhere' }], 2))(
  'a row with another %o is a new deployment',
  campaign,
  async (change) => {
    expect(deploymentId(await synthesizeWith('endpoints', 'getContract', change))).not.toBe(deploymentId(template));
  },
);

test.each([{ status: 418 }, { detail: 'Come back later.' }])(
  'a gateway response with another %o is a new deployment',
  proven,
  async (change) => {
    expect(deploymentId(await synthesizeWith('problems', 'throttled', change))).not.toBe(deploymentId(template));
  },
);

test('a change outside of the API, such as log retention, is no new deployment', proven, async () => {
  expect(deploymentId(await synthesize({ ...config, logRetentionDays: 90 }))).toBe(deploymentId(template));
});
