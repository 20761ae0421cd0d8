import { hiddenBecause, type Viewer } from './feed-event.ts';
import { levelsTogether } from './level-setpoints.ts';

type Values = Readonly<Record<string, unknown>>;

/** A row of the audit log, as far as it decides what its company sees of it. */
type RecordedChange = {
  readonly operation: string;
  readonly at: string;
  /** Null if the operator made the change, or an event reported it. */
  readonly actorKeyId: string | null;
  /** Whether the company sees the operator's change. */
  readonly shownToCompany?: boolean | undefined;
  readonly userId?: string | undefined;
  readonly keyId?: string | undefined;
  readonly webhookId?: string | undefined;
  readonly gatewayId?: string | undefined;
  readonly before?: Values | undefined;
  readonly after?: Values | undefined;
};

type Kind = 'home' | 'contract' | 'webhook' | 'key' | 'company';

/** Returns what a change concerns. The onboarding of a company also names its first key. */
const kindOf = ({ operation, gatewayId, userId, webhookId, keyId }: RecordedChange): Kind => {
  if (gatewayId !== undefined) return 'home';
  if (userId !== undefined) return 'contract';
  if (webhookId !== undefined) return 'webhook';
  return keyId === undefined || operation === 'company onboard' ? 'company' : 'key';
};

/**
 * Whether a company sees a change in its partition of the audit log: its own changes, and the operator's changes of its
 * configuration. Decisions of owners, such as consent and grants, are not shown, even if the operator has recorded them.
 */
export const isOwnChange = (change: RecordedChange): boolean => {
  if (change.actorKeyId !== null) return true;
  if (!change.shownToCompany) return false;
  const kind = kindOf(change);
  return kind === 'contract' ? change.after?.state !== undefined : kind !== 'home';
};

/** What a company sees of its own change: all of it, all but the values, or neither values nor ids of the home. */
export type ShownPart = 'all' | 'without-values' | 'without-ids';

/**
 * Returns what a company sees of its own change. The values belong to the home: they are shown as long as the company may see
 * what the home was like at that time. The ids are shown until the owner is erased: an erasure removes the contract, and
 * replaces the owner's id in the audit log.
 */
export const shownPartOf = (change: RecordedChange, viewer: Viewer): ShownPart => {
  const { userId, gatewayId, at } = change;
  const kind = kindOf(change);
  if (kind !== 'home' && kind !== 'contract') return 'all';
  const { contract } = viewer;
  if (contract === undefined || contract.userId !== userId || contract.state === 'unopened') return 'without-ids';
  if (gatewayId === undefined) return 'all';
  const hidden = hiddenBecause(viewer, { userId, gatewayId, receivedAtMs: Date.parse(at) });
  return hidden === undefined ? 'all' : 'without-values';
};

/** The names of the values that are shown, so that no secret, hash or name of another value is ever shown. */
const shownNames: Readonly<Record<Exclude<Kind, 'home'>, readonly string[]>> = {
  contract: ['state'],
  webhook: ['url', 'state', 'secretVersion'],
  key: ['access', 'allowedCidrs', 'label'],
  company: ['name', 'state', 'allowedCidrs', 'webhookHosts'],
};

/** Returns the values of a change that its company may see; null if it has none. All requested values of a home are shown. */
export const shownValues = (change: RecordedChange, when: 'before' | 'after'): Values | null => {
  const kind = kindOf(change);
  const values = kind === 'key' ? (change[when]?.key as Values | undefined) : change[when];
  if (values === undefined) return null;
  if (kind === 'home') return levelsTogether(values);
  const shown = Object.entries(values).filter(([name]) => shownNames[kind].includes(name));
  return shown.length > 0 ? Object.fromEntries(shown) : null;
};

/** The ids by which a change names a part of a home. */
type HomeIds = {
  readonly gatewayId: string;
  readonly family?: string | undefined;
  readonly circuitId?: string | undefined;
  readonly timeProgramId?: string | undefined;
};

/** Returns the path of what a change concerns; null for the company itself. */
export const resourceOf = (change: RecordedChange & Omit<HomeIds, 'gatewayId'>): string | null => {
  const { gatewayId, webhookId, keyId } = change;
  const kind = kindOf(change);
  if (kind === 'home') return homePath({ ...change, gatewayId: String(gatewayId) });
  if (kind === 'contract') return '/contract';
  if (kind === 'webhook') return `/webhooks/${webhookId}`;
  return kind === 'key' ? `/api-keys/${keyId}` : null;
};

/** A change of a home without a circuit is one of its holiday. */
const homePath = ({ gatewayId, family, circuitId, timeProgramId }: HomeIds): string => {
  if (circuitId === undefined) return `/hvacs/${gatewayId}/holiday`;
  const circuit = `/hvacs/${gatewayId}/${family}Circuits/${circuitId}`;
  return timeProgramId === undefined ? circuit : `${circuit}/timePrograms/${timeProgramId}`;
};
