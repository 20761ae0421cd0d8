import type { InboundEvent } from '../../../api/inbound-events/inbound-events.ts';
import { type ApplianceItemKey, circuitItemKey, timeProgramItemKey } from '../../../data/appliances/appliances.ts';
import { refuseChange } from '../../../data/appliances/refusals.ts';
import { report } from '../../../data/appliances/reports.ts';
import type { Effects } from '../../effect.ts';

export const shadowEffects = {
  'circuit.reported.v1': ({ store }, { subject: gatewayId, data, timeMs }) => {
    const { family, circuitId, reported, fulfilsVersion } = data;
    const given = { reported, reportedAtMs: timeMs, fulfilsVersion };
    return report(store, circuitItemKey(gatewayId, family, circuitId), { circuitId }, given);
  },
  'time-program.reported.v1': ({ store }, { subject: gatewayId, data, timeMs }) => {
    const { family, circuitId, timeProgramId, name, switchPoints, fulfilsVersion } = data;
    const given = { reported: { name, switchPoints }, reportedAtMs: timeMs, fulfilsVersion };
    return report(store, timeProgramItemKey(gatewayId, family, circuitId, timeProgramId), { timeProgramId }, given);
  },
  'change.refused.v1': ({ store }, { subject: gatewayId, data: { item, ...refusal }, timeMs }) =>
    refuseChange(store, keyOf(gatewayId, item), refusal, timeMs),
} satisfies Partial<Effects<'takeGatewayReports'>>;

type ChangeItem = InboundEvent<'change.refused.v1'>['data']['item'];

const keyOf = (gatewayId: string, item: ChangeItem): ApplianceItemKey =>
  item.kind === 'circuit'
    ? circuitItemKey(gatewayId, item.family, item.circuitId)
    : timeProgramItemKey(gatewayId, item.family, item.circuitId, item.timeProgramId);
