import type { AnyCommand } from './cli/command.ts';
import { addressCheck } from './commands/address.ts';
import { auditList } from './commands/audit.ts';
import { changeDrop, changeList, changeResend } from './commands/change.ts';
import { companyExport, companyList } from './commands/company/list.ts';
import { companyOnboard } from './commands/company/onboard.ts';
import { companyRequests } from './commands/company/requests.ts';
import { companyResume, companySet, companySuspend } from './commands/company/set-and-suspend.ts';
import { companyShow } from './commands/company/show.ts';
import { companySync } from './commands/company/sync.ts';
import { completion } from './commands/completion.ts';
import { consentAccept, consentStatus, consentWithdraw } from './commands/consent.ts';
import { contractEnd, contractList, contractOpen, contractShow } from './commands/contract.ts';
import { doctor } from './commands/doctor/doctor.ts';
import { eventsList, eventsRenew } from './commands/events.ts';
import { gatewayGrant, gatewayMove, gatewayRevoke } from './commands/gateway/grants.ts';
import { gatewayImport } from './commands/gateway/import.ts';
import { gatewayShow } from './commands/gateway/show.ts';
import {
  integrationDeadDrop,
  integrationDeadList,
  integrationDeadRedrive,
  integrationDeadShow,
} from './commands/integration/dead.ts';
import { integrationSend } from './commands/integration/send.ts';
import { integrationStatus } from './commands/integration/status.ts';
import { integrationUnusable } from './commands/integration/unusable.ts';
import { keyIssue } from './commands/key/issue.ts';
import { keyExpiring, keyInspect, keyList } from './commands/key/list.ts';
import { keyRevoke } from './commands/key/revoke.ts';
import { ownerEraseCommand, ownerExportCommand } from './commands/owner.ts';
import { requestShow } from './commands/request.ts';
import { restoreCopy, restoreReconcile, restoreStart, restoreStatus } from './commands/restore.ts';
import { sandboxControl } from './commands/sandbox.ts';
import { smoke } from './commands/smoke.ts';
import { traceResolve } from './commands/trace.ts';
import { webhookDisable, webhookEnable, webhookList, webhookTest } from './commands/webhook.ts';

/** Every command, in the order of the help. */
export const commands: readonly AnyCommand[] = [
  companyOnboard,
  companyList,
  companyShow,
  companyRequests,
  companySet,
  companySuspend,
  companyResume,
  companySync,
  companyExport,
  keyIssue,
  keyList,
  keyRevoke,
  keyInspect,
  keyExpiring,
  contractOpen,
  contractEnd,
  contractShow,
  contractList,
  gatewayGrant,
  gatewayRevoke,
  gatewayMove,
  gatewayImport,
  gatewayShow,
  consentAccept,
  consentWithdraw,
  consentStatus,
  addressCheck,
  requestShow,
  auditList,
  changeList,
  changeResend,
  changeDrop,
  eventsList,
  eventsRenew,
  webhookList,
  webhookTest,
  webhookDisable,
  webhookEnable,
  integrationStatus,
  integrationSend,
  integrationUnusable,
  integrationDeadList,
  integrationDeadShow,
  integrationDeadRedrive,
  integrationDeadDrop,
  sandboxControl,
  ownerExportCommand,
  ownerEraseCommand,
  restoreStart,
  restoreStatus,
  restoreCopy,
  restoreReconcile,
  traceResolve,
  doctor,
  smoke,
  completion,
];
