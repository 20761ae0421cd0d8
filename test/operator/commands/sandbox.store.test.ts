import { beforeAll, expect, test } from 'vitest';
import { integrationsOf } from '../../../operator/integrations/integrations.ts';
import { reportGateway } from '../../support/messages.ts';
import { operate, operateForJson } from '../../support/operator.ts';
import { type OpenIntegrations, openIntegrations } from '../../support/operator-integrations.ts';
import { readAudit } from '../../support/store.ts';
import { onboard, openWorld } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
let opened: OpenIntegrations;
beforeAll(async () => {
  world = await openWorld();
  opened = await openIntegrations();
  return opened.close;
});

const options = (integrations = opened.integrations) => ({ ...world, connection: { integrations } });
const because = ['--reason', 'the partner tests outages'];
const control = (...words: string[]) => operateForJson(['sandbox', 'control', ...words, ...because], options());

/** A company with a simulated home. */
const openHome = async () => {
  const { companyId } = await onboard(world.store);
  const gatewayId = `sim-${companyId}-1`;
  await reportGateway(world.store, gatewayId);
  return { companyId, gatewayId };
};

const sentControls = async () => (await opened.drainControls()).map(({ Body = '' }) => JSON.parse(Body));

test('a control is sent after an audit row for the company, and the output says what a partner sees', async () => {
  const { companyId, gatewayId } = await openHome();
  const { exit, output, stderr } = await control('block', gatewayId, 'dhwCircuits');
  expect([exit, output]).toEqual([
    'ok',
    {
      companyId,
      outcome: 'changed',
      differences: [{ what: 'block', before: null, after: [gatewayId, 'dhwCircuits'] }],
    },
  ]);
  expect(stderr).toContain(`GET /hvacs/${gatewayId} lists the function in blockedFunctions`);
  expect(await sentControls()).toEqual([{ control: 'block', gatewayId, value: 'dhwCircuits' }]);
  const acts = (await readAudit(world.store, companyId)).filter(({ operation }) => operation === 'sandbox control');
  expect(acts).toMatchObject([
    {
      gatewayId,
      userId: `sim-owner-${companyId}-1`,
      after: { control: 'block', value: 'dhwCircuits' },
      reason: because[1],
    },
  ]);
});

test('a dry run sends nothing, and leaves no audit row', async () => {
  const { companyId, gatewayId } = await openHome();
  const { exit, output } = await operateForJson(['sandbox', 'control', 'offline', gatewayId, '--dry-run'], options());
  expect([exit, output.outcome, await sentControls()]).toEqual(['ok', 'would-change', []]);
  expect((await readAudit(world.store, companyId)).map(({ operation }) => operation)).not.toContain('sandbox control');
});

test('a control, a value or a home that does not exist is refused with what to write instead', async () => {
  const { gatewayId } = await openHome();
  await reportGateway(world.store, 'gw-real');
  for (const [words, exit, said] of [
    [['explode', gatewayId], 'usage', 'The controls are offline, online, refuse'],
    [['owner-sets', gatewayId], 'usage', 'write one from 5 to 30 in steps of 0.5'],
    [['offline', gatewayId, '5'], 'usage', 'offline takes no value; leave out 5.'],
    [['offline', 'sim-nobody-1'], 'not-found', 'There is no simulated home sim-nobody-1.'],
    [['offline', 'gw-real'], 'not-found', 'There is no simulated home gw-real.'],
  ] as const)
    expect(await control(...words)).toMatchObject({ exit, stderr: expect.stringContaining(said) });
  expect(await sentControls()).toEqual([]);
});

test('a stage that is no sandbox refuses controls, and names the configuration and the demo world', async () => {
  const { gatewayId } = await openHome();
  const withoutControls = integrationsOf({ ...opened.addresses, queueUrls: {} });
  const { exit, stderr } = await operate(
    ['sandbox', 'control', 'offline', gatewayId, ...because],
    options(withoutControls),
  );
  expect(exit).toBe('refused');
  expect(stderr).toContain('Name a stage whose configuration has "simulatedHomes" (docs/sandbox.md).');
  expect(stderr).toContain('npm run demo -- --help');
});
