import type { InboundEvent, TypeFrom } from '../api/inbound-events/inbound-events.ts';
import type { AuditContext } from '../data/audit.ts';
import { findContract } from '../data/contracts/contracts.ts';
import { applyGrant } from '../data/contracts/grants.ts';
import { acceptConsent, endContract, openContract, withdrawConsent } from '../data/contracts/owner-decisions.ts';
import { dropEndedChanges } from '../data/ended-changes.ts';
import { gatewayIdsIn } from '../domain/contract.ts';
import type { EffectContext, Effects } from './take-messages.ts';

/** The effects of the portal's events. */
export const portalEffects: Effects<'takePortalEvents'> = {
  'portal.contract.opened.v1': (context, event) =>
    openContract(context.store, auditContextOf(context, event), { ...event.data, arrivedAtMs: event.arrivedAtMs }),
  'portal.contract.ended.v1': (context, event) => withdraw(context, event, endContract),

  'portal.consent.accepted.v1': async (context, event) =>
    // A future version would count as consent to every version up to it.
    event.data.consentVersion > context.setting('newestConsentVersion')
      ? { outcome: 'unknown-consent-version' }
      : acceptConsent(context.store, auditContextOf(context, event), {
          ...event.data,
          requiredVersion: context.setting('requiredConsentVersion'),
          arrivedAtMs: event.arrivedAtMs,
        }),
  'portal.consent.withdrawn.v1': (context, event) => withdraw(context, event, withdrawConsent),

  // A gateway that is added for one owner leaves the former one.
  'portal.installation.added.v1': (context, event) => changeGrant(context, event, true),
  'portal.installation.removed.v1': (context, event) => changeGrant(context, event, false),
};

/** Applies what an owner withdraws from a company, and drops the changes of the company that rested on it. */
const withdraw = async (
  context: Context,
  event: InboundEvent<'portal.contract.ended.v1' | 'portal.consent.withdrawn.v1'>,
  apply: typeof endContract,
) => {
  const { data, arrivedAtMs, subject: companyId } = event;
  const withdrawn = await apply(context.store, auditContextOf(context, event), { ...data, arrivedAtMs });
  const contract = await findContract(context.store, { companyId, userId: data.userId });
  if (contract) await dropEnded(context, event, gatewayIdsIn(contract));
  return withdrawn;
};

const changeGrant = async (
  context: Context,
  event: InboundEvent<'portal.installation.added.v1' | 'portal.installation.removed.v1'>,
  isGranted: boolean,
) => {
  const { data, arrivedAtMs } = event;
  const changed = await applyGrant(context.store, auditContextOf(context, event), { ...data, isGranted, arrivedAtMs });
  await dropEnded(context, event, [data.gatewayId]);
  return changed;
};

/**
 * Drops the changes of the company on these gateways whose permission has ended. Also after an event that is stale: its first
 * delivery may have stored the ending and failed before it dropped anything.
 */
const dropEnded = async (context: Context, event: PortalEvent, gatewayIds: readonly string[]): Promise<void> => {
  const { companyId, userId, ...dropContext } = auditContextOf(context, event);
  const requiredConsentVersion = context.setting('requiredConsentVersion');
  await dropEndedChanges(context.store, dropContext, { companyId, gatewayIds, requiredConsentVersion });
};

type Context = EffectContext<'takePortalEvents'>;

type PortalEvent = InboundEvent<TypeFrom<'portalEvents'>>;

/**
 * Returns the audit context of an event: the change happens at the time of the fact, and is recorded now, under the id and
 * the type of the event. No API key is involved.
 */
const auditContextOf = ({ nowMs }: Pick<Context, 'nowMs'>, event: PortalEvent): AuditContext => ({
  companyId: event.subject,
  nowMs: event.timeMs,
  recordedAtMs: nowMs(),
  requestId: event.id,
  operation: event.type,
  actorKey: null,
  userId: event.data.userId,
});
