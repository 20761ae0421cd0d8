import { describe, expect, test } from 'vitest';
import { readEvent } from '../../../lambdas/inbound/read-event.ts';
import { type ControlMessage, performControl, readControl, valueFault } from '../../../lambdas/sandbox/controls.ts';
import { homeControlNames, homeControls, seenAt } from '../../../lambdas/sandbox/home-controls.ts';
import { homeOf, type SimulatedHome } from '../../../lambdas/sandbox/homes.ts';
import { installedAppliance } from '../../../simulator/appliance-state.ts';
import { createSimulatedAppliance } from '../../../simulator/simulated-appliance.ts';

const nowMs = Date.parse('2026-11-21T10:00:00Z');
const gatewayId = 'sim-acme-1';
const home = homeOf(gatewayId) as SimulatedHome;

/** Performs controls one after the other; returns what the last one did. */
const perform = (...messages: Omit<ControlMessage, 'gatewayId'>[]) => {
  const appliance = createSimulatedAppliance(home.appliance, installedAppliance(home.appliance, nowMs));
  const results = messages.map((message) => {
    const read = readControl({ gatewayId, ...message });
    if (!read) throw new Error(`${message.control} is no control.`);
    return performControl(read, home, appliance, { nowMs, requiredConsentVersion: 3 });
  });
  return { result: results.at(-1), state: appliance.state };
};

const userId = 'sim-owner-acme-1';

test.each<
  [Omit<ControlMessage, 'gatewayId'>, type: string, data: object, ...before: Omit<ControlMessage, 'gatewayId'>[]]
>([
  [{ control: 'offline' }, 'gateway.connectivity.v1', { connectivity: 'offline' }],
  [{ control: 'online' }, 'gateway.connectivity.v1', { connectivity: 'online' }, { control: 'offline' }],
  [{ control: 'block' }, 'function.blocked.v1', { function: 'heatingCircuits' }],
  [{ control: 'block', value: 'dhwCircuits' }, 'function.blocked.v1', { function: 'dhwCircuits' }],
  [{ control: 'unblock' }, 'function.unblocked.v1', { function: 'heatingCircuits' }, { control: 'block' }],
  [
    { control: 'unblock', value: 'dhwCircuits' },
    'function.unblocked.v1',
    { function: 'dhwCircuits' },
    { control: 'block', value: 'dhwCircuits' },
  ],
  [{ control: 'fault' }, 'fault.reported.v1', { code: 'F.75' }],
  [{ control: 'fault', value: 'E_1' }, 'fault.reported.v1', { code: 'E_1' }],
  [{ control: 'fault-cleared', value: 'E_1' }, 'fault.cleared.v1', { code: 'E_1' }, { control: 'fault', value: 'E_1' }],
  [{ control: 'owner-sets', value: '19.5' }, 'circuit.reported.v1', { reported: { roomSetpointCelsius: 19.5 } }],
  [{ control: 'hour-passes' }, 'hourly-energy.reported.v1', {}],
  [{ control: 'day-corrected' }, 'energy.reported.v1', { day: '2026-11-20' }],
  [{ control: 'consent-withdrawn' }, 'portal.consent.withdrawn.v1', { userId }],
  [{ control: 'consent-renewed' }, 'portal.consent.accepted.v1', { userId, consentVersion: 3 }],
  [{ control: 'contract-ended' }, 'portal.contract.ended.v1', { userId }],
  [{ control: 'contract-opened' }, 'portal.contract.opened.v1', { userId }],
  [{ control: 'gateway-removed' }, 'portal.installation.removed.v1', { userId, gatewayId }],
  [{ control: 'gateway-added' }, 'portal.installation.added.v1', { userId, gatewayId }],
])('the control $control sends one event that its consumer accepts: %s', (message, type, data, ...before) => {
  const { result } = perform(...before, message);
  const isPortal = type.startsWith('portal.');
  expect(result).toEqual([
    expect.objectContaining({
      type,
      source: isPortal ? 'portal' : 'gateway-backend',
      subject: isPortal ? 'acme' : gatewayId,
      data: expect.objectContaining('reported' in data ? {} : data),
    }),
  ]);
  const [event] = result as readonly object[];
  expect(event).toMatchObject({ data });
  const { refusal } = readEvent(isPortal ? 'portalEvents' : 'gatewayReports', JSON.stringify(event), nowMs);
  expect(refusal).toBeUndefined();
});

test('the control day-passes sends reports of today that their consumer accepts', () => {
  const { result } = perform({ control: 'day-passes' });
  expect(result).toContainEqual(expect.objectContaining({ type: 'energy.reported.v1' }));
  for (const report of result as readonly object[]) {
    expect(report).toMatchObject({ source: 'gateway-backend', subject: gatewayId, data: { day: '2026-11-21' } });
    expect(readEvent('gatewayReports', JSON.stringify(report), nowMs).refusal).toBeUndefined();
  }
});

test('a home refuses changes until it accepts them', () => {
  expect(perform({ control: 'refuse' }).state.isRefusing).toBe(true);
  expect(perform({ control: 'refuse' }, { control: 'accept' }).state.isRefusing).toBe(false);
});

test('a control without effect says why', () => {
  expect(perform({ control: 'online' }).result).toBe('already');
  expect(perform({ control: 'offline' }, { control: 'fault' }).result).toBe('unreachable');
});

describe('the value of a control', () => {
  test.each<[ControlMessage['control'], string | undefined]>([
    ['owner-sets', '5'],
    ['owner-sets', '30'],
    ['fault', 'F'],
    ['fault', `${'F'.repeat(19)}.`],
    ['block', undefined],
  ])('%s takes %s', (control, value) => {
    expect(valueFault({ control, value })).toBeUndefined();
  });

  test.each<[ControlMessage['control'], string | undefined, fault: string]>([
    ['offline', '1', 'offline takes no value; leave out 1.'],
    [
      'owner-sets',
      undefined,
      'The missing value is not a room temperature; write one from 5 to 30 in steps of 0.5, such as 19.5.',
    ],
    ['owner-sets', '4.5', '4.5 is not a room temperature; write one from 5 to 30 in steps of 0.5, such as 19.5.'],
    ['owner-sets', '30.5', '30.5 is not a room temperature; write one from 5 to 30 in steps of 0.5, such as 19.5.'],
    ['owner-sets', '20.25', '20.25 is not a room temperature; write one from 5 to 30 in steps of 0.5, such as 19.5.'],
    ['fault', '', ' is not a fault code; write 1 to 20 letters, digits, ".", "_" and "-".'],
    ['fault', 'F 1', 'F 1 is not a fault code; write 1 to 20 letters, digits, ".", "_" and "-".'],
    [
      'fault',
      'F'.repeat(21),
      `${'F'.repeat(21)} is not a fault code; write 1 to 20 letters, digits, ".", "_" and "-".`,
    ],
    [
      'block',
      'heating',
      'heating is not a function of an appliance. The functions are heatingCircuits, heatingTimePrograms, dhwCircuits, dhwTimePrograms.',
    ],
  ])('%s does not take %s', (control, value, fault) => {
    expect(valueFault({ control, value })).toBe(fault);
    expect(readControl({ control, gatewayId, value })).toBeUndefined();
  });
});

test.each([
  undefined,
  null,
  'offline',
  {},
  { control: 'offline' },
  { control: 'toString', gatewayId },
  { control: 'explode', gatewayId },
  { control: ['offline'], gatewayId },
  { control: 'offline', gatewayId: 1 },
  { control: 'fault', gatewayId, value: 75 },
])('a message that is no control is not read: %j', (message) => {
  expect(readControl(message)).toBeUndefined();
});

test('every control says what a partner sees, without placeholders', () => {
  for (const name of homeControlNames) {
    expect(homeControls[name].does).toMatch(/^[A-Z].*\.$/);
    expect(seenAt(homeControls[name], gatewayId)).toMatch(/^[^{}`]+\.$/);
  }
  expect(seenAt(homeControls.offline, gatewayId)).toContain(`GET /hvacs/${gatewayId} has connectivity: offline`);
});
