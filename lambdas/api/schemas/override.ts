import * as z from 'zod/mini';
import { maxOverrideDays } from '../limits.ts';
import { changeTerms, changeTermsDescriptions } from './change-status.ts';
import { type Documentation, knownWord, mayBeAbsent, timestamp, type Values } from './common.ts';
import { celsius, requestedCelsius } from './measurement.ts';

/** The value of `until` that ends the override when the active time program switches next. */
export const nextSwitchPoint = 'next-switch-point';

const until = () => z.union([timestamp(), z.literal(nextSwitchPoint)], expectedUntil);

const expectedUntil = `Expected a time with its offset, as RFC 3339 has it, or ${nextSwitchPoint}.`;

const heatingRequest = () => ({ roomSetpointCelsius: requestedCelsius(), until: until() });
const dhwRequest = () => ({ until: until() });

export const heatingOverrideUpdate = () => z.strictObject({ ...heatingRequest(), ...changeTerms() });
export const dhwOverrideUpdate = () => z.strictObject({ ...dhwRequest(), ...changeTerms() });

/** An override with the time at which it was requested, from which the next switch point counts. */
export const dhwOverride = () => ({ ...dhwRequest(), since: timestamp() });
export const heatingOverride = () => ({ roomSetpointCelsius: celsius(), ...dhwOverride() });

/** An override as a report may have it. Without `until` it ends at the next switch point, without `since` it began as one
 * that is known and alike, or with the report. */
export const reportedDhwOverride = () => ({
  until: z.optional(
    z.pipe(
      z.transform((end) => knownWord([nextSwitchPoint], end) ?? end),
      z.union([timestamp(), z.literal(nextSwitchPoint), z.null()], expectedUntil),
    ),
  ),
  since: mayBeAbsent(timestamp()),
});
export const reportedHeatingOverride = () => ({ roomSetpointCelsius: celsius(), ...reportedDhwOverride() });

/** The override of a circuit of any family. */
export type Override = Values<ReturnType<typeof dhwOverride>> &
  Partial<Pick<Values<ReturnType<typeof heatingOverride>>, 'roomSetpointCelsius'>>;

export const heatingOverrideExample = () => ({
  roomSetpointCelsius: 23,
  until: '2026-11-20T22:00:00Z',
  since: '2026-11-20T16:29:58.310Z',
});

const requestDescriptions = () => ({
  roomSetpointCelsius: 'The room temperature to reach during the override, in degrees Celsius.',
  until: `When the override ends, UTC, at most ${maxOverrideDays} days ahead; or \`${nextSwitchPoint}\`: at the next switch point of the active time program of the circuit, but after ${maxOverrideDays} days at the latest.`,
});

export const heatingOverrideUpdateDocs = (): Documentation<typeof heatingOverrideUpdate> => ({
  example: { roomSetpointCelsius: 23, until: nextSwitchPoint },
  properties: { ...requestDescriptions(), ...changeTermsDescriptions() },
});

export const dhwOverrideUpdateDocs = (): Documentation<typeof dhwOverrideUpdate> => ({
  example: { until: nextSwitchPoint },
  properties: { until: requestDescriptions().until, ...changeTermsDescriptions() },
});

const lastingDescriptions = () => ({
  since: 'When the override was requested, or set at the appliance, UTC.',
  until: `When the override ends, UTC; \`${nextSwitchPoint}\` until the appliance has reported the time. An override has ended when this time has passed, even if it is still shown because the appliance has not reported since.`,
});

export const heatingOverrideDescription = () => ({
  description:
    'The override, which holds a room temperature instead of following `operationMode` and the time program; null if there is none.',
  properties: { roomSetpointCelsius: requestDescriptions().roomSetpointCelsius, ...lastingDescriptions() },
});

export const dhwOverrideDescription = () => ({
  description:
    'The override, which keeps the water at `waterSetpointCelsius` instead of following `operationMode` and the time program; null if there is none.',
  properties: lastingDescriptions(),
});
