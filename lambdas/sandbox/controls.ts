import {
  type ApplianceCommand,
  acceptChanges,
  blockFunction,
  type CommandRefusal,
  clearFault,
  correctDay,
  endDay,
  endHour,
  goOffline,
  goOnline,
  refuseChanges,
  reportFault,
  setByOwner,
  unblockFunction,
} from '../../simulator/appliance-commands.ts';
import type { SimulatedAppliance } from '../../simulator/simulated-appliance.ts';
import {
  type ControlValueName,
  controlValues,
  type HomeControlName,
  type HomeControlRow,
  homeControls,
} from './home-controls.ts';
import type { SimulatedHome } from './homes.ts';
import { ownerDecisions, type SandboxMessage } from './messages.ts';

/** A control of a simulated home, as an operator sends it: a message of the queue of controls. */
export type ControlMessage = {
  readonly control: HomeControlName;
  readonly gatewayId: string;
  /** The text of the value, if the control takes one and does not use its default. */
  readonly value?: string | undefined;
};

/** Returns the control in a message; undefined if the message has no valid control. */
export const readControl = (message: unknown): ControlMessage | undefined => {
  const { control, gatewayId, value } = Object(message) as Partial<Record<keyof ControlMessage, unknown>>;
  if (typeof control !== 'string' || !Object.hasOwn(homeControls, control) || typeof gatewayId !== 'string')
    return undefined;
  if (value !== undefined && typeof value !== 'string') return undefined;
  const read: ControlMessage = { control: control as HomeControlName, gatewayId, value };
  return valueFault(read) === undefined ? read : undefined;
};

/** Returns why the value of a control cannot be used, as a sentence; undefined if it can. */
export const valueFault = ({ control, value }: Pick<ControlMessage, 'control' | 'value'>): string | undefined => {
  const name = valueNameOf(control);
  if (name === undefined) return value === undefined ? undefined : `${control} takes no value; leave out ${value}.`;
  const { read, expected } = controlValues[name];
  return read(value) === undefined ? `${value ?? 'The missing value'} ${expected}` : undefined;
};

const valueNameOf = (control: HomeControlName): ControlValueName | undefined => {
  const { takes }: HomeControlRow = homeControls[control];
  return takes[1];
};

/**
 * Applies a control to a home. Returns the events that follow at once, or the reason why the home sends no event. What the
 * appliance does later is in its state.
 */
export const performControl = (
  { control, value }: ControlMessage,
  { companyId, userId, appliance: { gatewayId } }: SimulatedHome,
  appliance: SimulatedAppliance,
  {
    nowMs,
    requiredConsentVersion: consentVersion,
  }: { readonly nowMs: number; readonly requiredConsentVersion: number },
): readonly SandboxMessage[] | CommandRefusal => {
  if (isOwnerDecision(control))
    return [ownerDecisions[control]({ companyId, userId, gatewayId, consentVersion }, nowMs)];
  const name = valueNameOf(control);
  const commandOf: (value: never) => ApplianceCommand = applianceCommands[control];
  const command = commandOf((name && controlValues[name].read(value)) as never);
  return command(appliance, nowMs);
};

type OwnerDecision = keyof typeof ownerDecisions;

const isOwnerDecision = (control: HomeControlName): control is OwnerDecision => Object.hasOwn(ownerDecisions, control);

type ApplianceControl = Exclude<HomeControlName, OwnerDecision>;

/** The command of each control of an appliance, which takes the value that its row names. */
export const applianceCommands = {
  offline: () => goOffline,
  online: () => goOnline,
  refuse: () => refuseChanges,
  accept: () => acceptChanges,
  block: blockFunction,
  unblock: unblockFunction,
  fault: reportFault,
  'fault-cleared': clearFault,
  'owner-sets': setByOwner,
  'day-passes': () => endDay,
  'hour-passes': () => endHour,
  'day-corrected': () => correctDay,
} as const satisfies Readonly<Record<ApplianceControl, (value: never) => ApplianceCommand>>;
