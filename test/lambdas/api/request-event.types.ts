import { type OwnMetric, ownMetricsOf } from '../../../infra/monitoring/metrics.ts';
import { isDecision, timeOfFirst } from '../../../infra/monitoring/query-parts.ts';
import { requestFields } from '../../../lambdas/api/request-event.ts';

/** Names that the compiler must refuse in queries and metrics: `npm run types` fails where it lets one of them pass. */
const own: OwnMetric = ownMetricsOf('PartnerApi-test');

// @ts-expect-error: no event has this field.
requestFields.decided;
// @ts-expect-error: no request is decided so.
isDecision('rejected');
// @ts-expect-error: DynamoDB has no such command.
timeOfFirst('GetItems');
// @ts-expect-error: there is no such metric.
own('Request', { decision: 'failed' });
// @ts-expect-error: an id is a field, never a dimension.
own('Requests', { companyId: 'acme' });
// @ts-expect-error: the dimension has no such value.
own('Requests', { reason: 'unavailable' });
// @ts-expect-error: this metric has no series without a dimension.
own('Requests', {});
// @ts-expect-error: this metric is one series.
own('InitMs', { decision: 'failed' });
