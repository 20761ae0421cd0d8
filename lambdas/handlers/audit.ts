import { auditEntryBody } from '../answers/audit.ts';
import { pageAnswer, pageStart } from '../answers/pages.ts';
import { auditDays, pageSize } from '../api/limits.ts';
import { Problem } from '../api/problems.ts';
import { serve } from '../chain/serve.ts';
import { listApiKeys } from '../data/api-keys/api-keys.ts';
import { type AuditRow, auditPositionPattern, readOwnChanges } from '../data/audit.ts';
import { readContractsWith } from '../data/feed/viewers.ts';

export const listAuditEntries = /* @__PURE__ */ serve('listAuditEntries', async (call) => {
  const { store, company, query, nowMs, setting } = call;
  const { companyId } = company;
  const start = pageStart(call, auditPositionPattern);
  if (start instanceof Problem) return start;
  const [{ rows, next }, { keys }] = await Promise.all([
    readOwnChanges(store, companyId, { sinceMs: nowMs - auditMs, limit: query.limit, after: start }),
    listApiKeys(store, companyId, pageSize.max),
  ]);
  // Read after the changes, so that a withdrawal applies to all of them.
  const contractWith = await readContractsWith(
    store,
    companyId,
    rows.flatMap(({ userId }) => userId ?? []),
  );
  const requiredConsentVersion = setting('requiredConsentVersion');
  const itemOf = (row: AuditRow) =>
    auditEntryBody(row, { viewer: { contract: contractWith(row.userId), requiredConsentVersion }, keys });
  return pageAnswer(call, rows, { itemOf, positionOf: ({ sk }) => sk, next });
});

const auditMs = auditDays * 86_400_000;
