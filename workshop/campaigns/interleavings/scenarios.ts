import type { Scenario } from './scenario.ts';
import { apiKeyDescendantScenarios } from './scenarios/api-key-descendants.ts';
import { apiKeyScenarios } from './scenarios/api-keys.ts';
import { applianceReportScenarios } from './scenarios/appliance-reports.ts';
import { confirmationScenarios } from './scenarios/confirmations.ts';
import { contractScenarios } from './scenarios/contracts.ts';
import { endingScenarios } from './scenarios/endings.ts';
import { energyScenarios } from './scenarios/energy.ts';
import { erasureScenarios } from './scenarios/erasure.ts';
import { faultScenarios } from './scenarios/faults.ts';
import { feedScenarios } from './scenarios/feed.ts';
import { feedPurgeScenarios } from './scenarios/feed-purge.ts';
import { feedReaderScenarios } from './scenarios/feed-readers.ts';
import { gatewayFactScenarios } from './scenarios/gateway-facts.ts';
import { idempotentCreationScenarios } from './scenarios/idempotent-creation.ts';
import { itemLimitScenarios } from './scenarios/item-limits.ts';
import { keyNoticeScenarios } from './scenarios/key-notices.ts';
import { measurementScenarios } from './scenarios/measurements.ts';
import { onboardingScenarios } from './scenarios/onboarding.ts';
import { ownerScenarios } from './scenarios/owners.ts';
import { requestedChangeScenarios } from './scenarios/requested-changes.ts';
import { restoreScenarios } from './scenarios/restore.ts';
import { tokenBucketScenarios } from './scenarios/token-buckets.ts';
import { usageScenarios } from './scenarios/usage.ts';
import { webhookMessageScenarios } from './scenarios/webhook-messages.ts';
import { webhookScenarios } from './scenarios/webhooks.ts';

/** Every scenario of the campaign. */
export const scenarios: readonly Scenario[] = [
  ...apiKeyScenarios,
  ...apiKeyDescendantScenarios,
  ...idempotentCreationScenarios,
  ...tokenBucketScenarios,
  ...requestedChangeScenarios,
  ...applianceReportScenarios,
  ...confirmationScenarios,
  ...endingScenarios,
  ...gatewayFactScenarios,
  ...itemLimitScenarios,
  ...faultScenarios,
  ...energyScenarios,
  ...measurementScenarios,
  ...contractScenarios,
  ...ownerScenarios,
  ...onboardingScenarios,
  ...keyNoticeScenarios,
  ...feedScenarios,
  ...feedPurgeScenarios,
  ...feedReaderScenarios,
  ...erasureScenarios,
  ...webhookMessageScenarios,
  ...webhookScenarios,
  ...restoreScenarios,
  ...usageScenarios,
];
