import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { type ServedStack, UserFacingError } from 'serve-stack';
import type { Store } from '../../lambdas/data/store/store.ts';
import { toDate, toTimestamp } from '../../lambdas/domain/time.ts';
import { applianceCommands } from '../../lambdas/sandbox/controls.ts';
import { ownerDecisions, type PortalEvent } from '../../lambdas/sandbox/messages.ts';
import type { ApplianceCommand } from '../../simulator/appliance-commands.ts';
import type { NeighbourConnections } from '../connections.ts';
import type { Simulation } from '../demo/appliances/simulation.ts';
import type { WebhookReceiver } from '../demo/webhook-receiver.ts';
import type { ArgumentsOf, Parties } from './arguments.ts';
import type { ControlName } from './controls.ts';
import { moveExpiry } from './key-expiry.ts';
import { outcomesIn } from './message-outcomes.ts';
import { changeAsOperator } from './operator-command.ts';

/** The parts of a run that controls act on. */
export type ControlledRun = {
  readonly directory: string;
  readonly store: Store;
  readonly served: ServedStack;
  readonly requiredConsentVersion: number;
  /** Endpoints and credentials of the portal and the gateway backend. */
  readonly neighbours: () => NeighbourConnections;
  /** Undefined in a run without a gateway backend. */
  readonly simulation: Simulation | undefined;
  /** `failWith` of the webhook receiver. */
  readonly failWebhooksWith: WebhookReceiver['failWith'];
};

/** The result of a control, in one sentence. `isNew` is false if the control changed nothing. */
export type Effect = { readonly done: string; readonly isNew: boolean };

type Effects = {
  readonly [Name in ControlName]: (run: ControlledRun, words: ArgumentsOf<Name>) => Effect | Promise<Effect>;
};

type Home = { readonly gatewayId: string };

/**
 * Runs a command on an appliance and waits until the service has processed the gateway's reports. Returns false if the
 * command changes nothing. Throws UserFacingError if the gateway is offline or the run simulates no appliances.
 */
const commandAppliance = async (
  { simulation, served }: ControlledRun,
  { gatewayId }: Home,
  command: ApplianceCommand,
): Promise<boolean> => {
  if (!simulation)
    throw new UserFacingError(
      'This run simulates no appliances: it was started with --without-backend. Send events yourself, as docs/integrations.md says, or start it without that option.',
    );
  const outcomeOf = outcomesIn(served, 'takeGatewayReports');
  const reports = await simulation.command(gatewayId, command);
  if (reports === 'already') return false;
  if (reports === 'unreachable')
    throw new UserFacingError(
      `${gatewayId} is offline, so its appliance reports nothing. Run this first: npm run demo -- online ${gatewayId}`,
    );
  if (reports === 'unsupported')
    throw new UserFacingError(
      `The appliance of ${gatewayId} is too old to report this. Use the gateway of another home, such as gw-1001.`,
    );
  for (const id of reports) await outcomeOf(id);
  return true;
};

/** Puts an event on the portal's bus and waits until the service has processed it. Returns whether it was applied. */
const sendFromPortal = async ({ neighbours, served }: ControlledRun, event: PortalEvent): Promise<boolean> => {
  const { region, portal } = neighbours();
  const { endpoint, eventBusName, ...credentials } = portal;
  const outcomeOf = outcomesIn(served, 'takePortalEvents');
  const bus = new EventBridgeClient({ region, endpoint, credentials });
  const entry = { EventBusName: eventBusName, Source: 'portal', DetailType: event.type, Detail: JSON.stringify(event) };
  const { FailedEntryCount } = await bus.send(new PutEventsCommand({ Entries: [entry] })).finally(() => bus.destroy());
  if (FailedEntryCount) throw new UserFacingError("The portal's bus rejected the event.");
  return (await outcomeOf(event.id)) === 'applied';
};

const setExpiry = async (
  { store, served }: ControlledRun,
  { companyId, keyId }: { readonly companyId: string; readonly keyId: string },
  inMs: number,
): Promise<Effect> => {
  const expiresAtMs = Math.floor((Date.now() + inMs) / 1000) * 1000;
  await moveExpiry(store, { companyId, keyId }, expiresAtMs);
  await served.runSchedules();
  return { done: `The key of ${companyId} expires at ${toTimestamp(expiresAtMs)}.`, isNew: true };
};

const ofOwner = ({ userId, companyId }: Parties) => `${userId}, whose contract is with ${companyId},`;

export const controlEffects: Effects = {
  offline: async (run, { gateway }) => ({
    isNew: await commandAppliance(run, gateway, applianceCommands.offline()),
    done: `${gateway.gatewayId} is offline.`,
  }),
  online: async (run, { gateway }) => ({
    isNew: await commandAppliance(run, gateway, applianceCommands.online()),
    done: `${gateway.gatewayId} is online.`,
  }),
  refuse: async (run, { gateway }) => ({
    isNew: await commandAppliance(run, gateway, applianceCommands.refuse()),
    done: `The appliance of ${gateway.gatewayId} refuses changes.`,
  }),
  accept: async (run, { gateway }) => ({
    isNew: await commandAppliance(run, gateway, applianceCommands.accept()),
    done: `The appliance of ${gateway.gatewayId} applies changes.`,
  }),
  block: async (run, { gateway, function: name }) => ({
    isNew: await commandAppliance(run, gateway, applianceCommands.block(name)),
    done: `The appliance of ${gateway.gatewayId} blocks ${name} for an hour.`,
  }),
  unblock: async (run, { gateway, function: name }) => ({
    isNew: await commandAppliance(run, gateway, applianceCommands.unblock(name)),
    done: `The appliance of ${gateway.gatewayId} does not block ${name}.`,
  }),
  fault: async (run, { gateway, code }) => ({
    isNew: await commandAppliance(run, gateway, applianceCommands.fault(code)),
    done: `The appliance of ${gateway.gatewayId} has the fault ${code}.`,
  }),
  'fault-cleared': async (run, { gateway, code }) => ({
    isNew: await commandAppliance(run, gateway, applianceCommands['fault-cleared'](code)),
    done: `The appliance of ${gateway.gatewayId} does not have the fault ${code}.`,
  }),
  'owner-sets': async (run, { gateway, celsius }) => ({
    isNew: await commandAppliance(run, gateway, applianceCommands['owner-sets'](celsius)),
    done: `The owner of ${gateway.gatewayId} wants ${celsius} °C.`,
  }),
  'day-passes': async (run, { gateway }) => ({
    isNew: await commandAppliance(run, gateway, applianceCommands['day-passes']()),
    done: `${gateway.gatewayId} has reported the energy of ${toDate(Date.now())}.`,
  }),
  'hour-passes': async (run, { gateway }) => ({
    isNew: await commandAppliance(run, gateway, applianceCommands['hour-passes']()),
    done: `${gateway.gatewayId} has reported the energy of the current hour.`,
  }),
  'day-corrected': async (run, { gateway }) => ({
    isNew: await commandAppliance(run, gateway, applianceCommands['day-corrected']()),
    done: `${gateway.gatewayId} has reported its last day again.`,
  }),
  'consent-withdrawn': async (run, { owner }) => ({
    isNew: await sendFromPortal(run, ownerDecisions['consent-withdrawn'](owner, Date.now())),
    done: `${ofOwner(owner)} has withdrawn consent.`,
  }),
  'consent-renewed': async (run, { owner }) => {
    const { requiredConsentVersion: consentVersion } = run;
    return {
      isNew: await sendFromPortal(run, ownerDecisions['consent-renewed']({ ...owner, consentVersion }, Date.now())),
      done: `${ofOwner(owner)} has accepted version ${consentVersion} of the terms.`,
    };
  },
  'contract-ended': async (run, { owner }) => ({
    isNew: await sendFromPortal(run, ownerDecisions['contract-ended'](owner, Date.now())),
    done: `${ofOwner(owner)} has ended it.`,
  }),
  'contract-opened': async (run, { owner }) => ({
    isNew: await sendFromPortal(run, ownerDecisions['contract-opened'](owner, Date.now())),
    done: `${ofOwner(owner)} has concluded it.`,
  }),
  'gateway-removed': async (run, { gateway }) => ({
    isNew: await sendFromPortal(run, ownerDecisions['gateway-removed'](gateway, Date.now())),
    done: `${gateway.companyId} may not act on ${gateway.gatewayId}.`,
  }),
  'gateway-added': async (run, { gateway }) => ({
    isNew: await sendFromPortal(run, ownerDecisions['gateway-added'](gateway, Date.now())),
    done: `${gateway.companyId} may act on ${gateway.gatewayId}.`,
  }),
  'key-expires-in': (run, { duration, company }) => setExpiry(run, company, duration),
  'cursors-expire': async ({ directory }, { company: { companyId } }) => ({
    isNew: await changeAsOperator(directory, ['events', 'renew', companyId]),
    done: `The cursors of ${companyId} have expired.`,
  }),
  suspend: async ({ directory }, { company: { companyId } }) => ({
    isNew: await changeAsOperator(directory, ['company', 'suspend', companyId]),
    done: `${companyId} is suspended.`,
  }),
  resume: async ({ directory }, { company: { companyId } }) => ({
    isNew: await changeAsOperator(directory, ['company', 'resume', companyId]),
    done: `${companyId} is active again.`,
  }),
  'service-fails': ({ served }) => {
    served.injectStoreFault({ kind: 'down' });
    return { isNew: true, done: 'The store of the service does not answer.' };
  },
  'service-works': ({ served }) => {
    served.injectStoreFault(undefined);
    return { isNew: true, done: 'The store of the service answers.' };
  },
  'receiver-fails': ({ failWebhooksWith }, { status }) => ({
    isNew: failWebhooksWith(status),
    done: `The webhook receiver answers ${status}.`,
  }),
  'receiver-works': ({ failWebhooksWith }) => ({
    isNew: failWebhooksWith(undefined),
    done: 'The webhook receiver accepts messages.',
  }),
};
