import type { AnyCommand } from './cli/command.ts';
import { addressCheck } from './commands/address.ts';
import { auditList } from './commands/audit.ts';
import { changeList, changeResend } from './commands/change.ts';
import { companyList, companyResume, companyShow, companySuspend } from './commands/company.ts';
import { companyRequests } from './commands/company-requests.ts';
import { companyOnboard, companySync } from './commands/company-setup.ts';
import { consentAccept, consentStatus, consentWithdraw } from './commands/consent.ts';
import { contractEnd, contractList, contractOpen, contractShow } from './commands/contract.ts';
import { doctor } from './commands/doctor.ts';
import { eventsList, eventsRenew } from './commands/events.ts';
import { gatewayGrant, gatewayMove, gatewayRevoke, gatewayShow } from './commands/gateway.ts';
import { gatewayImport } from './commands/gateway-import.ts';
import { integrationSend, integrationStatus } from './commands/integration.ts';
import {
  integrationDeadDrop,
  integrationDeadList,
  integrationDeadRedrive,
  integrationDeadShow,
} from './commands/integration-dead.ts';
import { integrationUnusable } from './commands/integration-unusable.ts';
import { keyExpiring, keyInspect, keyIssue, keyList } from './commands/key.ts';
import { keyRevoke } from './commands/key-revoke.ts';
import { ownerEraseCommand, ownerExportCommand } from './commands/owner.ts';
import { regionTakeOver } from './commands/region.ts';
import { companyExport, companySet } from './commands/registration.ts';
import { restoreCopy, restoreReconcile, restoreStart, restoreStatus } from './commands/restore.ts';
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
  auditList,
  changeList,
  changeResend,
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
  ownerExportCommand,
  ownerEraseCommand,
  restoreStart,
  restoreStatus,
  restoreCopy,
  restoreReconcile,
  regionTakeOver,
  traceResolve,
  doctor,
  smoke,
];
