import type { AnyCommand } from './cli/command.ts';
import { addressCheck } from './commands/address-check.ts';
import { auditList } from './commands/audit-list.ts';
import { changeList } from './commands/change-list.ts';
import { changeResend } from './commands/change-resend.ts';
import { companyList } from './commands/company-list.ts';
import { companyOnboard } from './commands/company-onboard.ts';
import { companyResume } from './commands/company-resume.ts';
import { companyShow } from './commands/company-show.ts';
import { companySuspend } from './commands/company-suspend.ts';
import { companySync } from './commands/company-sync.ts';
import { consentAccept } from './commands/consent-accept.ts';
import { consentStatus } from './commands/consent-status.ts';
import { consentWithdraw } from './commands/consent-withdraw.ts';
import { contractEnd } from './commands/contract-end.ts';
import { contractSet } from './commands/contract-set.ts';
import { contractShow } from './commands/contract-show.ts';
import { doctor } from './commands/doctor.ts';
import { eventsList } from './commands/events-list.ts';
import { eventsRenew } from './commands/events-renew.ts';
import { gatewayGrant } from './commands/gateway-grant.ts';
import { gatewayImport } from './commands/gateway-import.ts';
import { gatewayRevoke } from './commands/gateway-revoke.ts';
import { gatewayShow } from './commands/gateway-show.ts';
import { keyExpiring } from './commands/key-expiring.ts';
import { keyInspect } from './commands/key-inspect.ts';
import { keyIssue } from './commands/key-issue.ts';
import { keyList } from './commands/key-list.ts';
import { keyRevoke } from './commands/key-revoke.ts';
import { restoreCopy } from './commands/restore-copy.ts';
import { restoreReconcile } from './commands/restore-reconcile.ts';
import { restoreStart } from './commands/restore-start.ts';
import { restoreStatus } from './commands/restore-status.ts';
import { seamDeadDrop } from './commands/seam-dead-drop.ts';
import { seamDeadList } from './commands/seam-dead-list.ts';
import { seamDeadRedrive } from './commands/seam-dead-redrive.ts';
import { seamDeadShow } from './commands/seam-dead-show.ts';
import { seamSend } from './commands/seam-send.ts';
import { seamStatus } from './commands/seam-status.ts';
import { smoke } from './commands/smoke.ts';
import { traceResolve } from './commands/trace-resolve.ts';
import { webhookDisable } from './commands/webhook-disable.ts';
import { webhookEnable } from './commands/webhook-enable.ts';
import { webhookList } from './commands/webhook-list.ts';
import { webhookTest } from './commands/webhook-test.ts';

/** Every command, in the order of the help. */
export const commands: readonly AnyCommand[] = [
  companyOnboard,
  companyList,
  companyShow,
  companySuspend,
  companyResume,
  companySync,
  keyIssue,
  keyList,
  keyRevoke,
  keyInspect,
  keyExpiring,
  contractSet,
  contractEnd,
  contractShow,
  gatewayGrant,
  gatewayRevoke,
  gatewayImport,
  gatewayShow,
  consentAccept,
  consentWithdraw,
  consentStatus,
  addressCheck,
  auditList,
  changeList,
  changeResend,
  eventsList,
  eventsRenew,
  webhookList,
  webhookTest,
  webhookDisable,
  webhookEnable,
  seamStatus,
  seamSend,
  seamDeadList,
  seamDeadShow,
  seamDeadRedrive,
  seamDeadDrop,
  restoreStart,
  restoreStatus,
  restoreCopy,
  restoreReconcile,
  traceResolve,
  doctor,
  smoke,
];
