import { contractBody } from '../answers/contract.ts';
import { firstUpTo, pageAnswer, pageStart } from '../answers/pages.ts';
import type { Settings } from '../api/environment.ts';
import { maxGatewaysPerPage } from '../api/limits.ts';
import { Problem } from '../api/problems.ts';
import { serve } from '../chain/serve.ts';
import { existingGatewayIds } from '../data/appliances/appliances.ts';
import { findOnlyContract, readContractPage } from '../data/contracts/contracts.ts';
import { type Contract, gatewayIdsIn, givesAccess, isConsentUpToDate } from '../domain/contract.ts';
import type { SettingReader } from '../runtime/function-environment.ts';

type ConsentSettings = Pick<Settings, 'requiredConsentVersion' | 'consentPortalUrl'>;

const consentSettings = (setting: SettingReader<keyof ConsentSettings>): ConsentSettings => ({
  requiredConsentVersion: setting('requiredConsentVersion'),
  consentPortalUrl: setting('consentPortalUrl'),
});

export const getContract = /* @__PURE__ */ serve('getContract', async ({ store, company, contract, setting }) => {
  const found = contract ?? (await findOnlyContract(store, company.companyId));
  if (found === undefined) return new Problem('contract-not-found');
  if (found === 'several')
    return new Problem('user-id-missing', {
      detail:
        'Your company has contracts with several owners. Send the header x-user-id with a userId that GET /contracts lists.',
    });
  return { body: contractBody(found, consentSettings(setting)) };
});

export const listContracts = /* @__PURE__ */ serve('listContracts', async (call) => {
  const { store, company, query, setting } = call;
  const start = pageStart(call);
  if (start instanceof Problem) return start;
  const settings = consentSettings(setting);
  const { contracts, next } = await readContractPage(store, company.companyId, query.limit, start);
  const isListed = (contract: Contract) =>
    query.consent === undefined || !isConsentUpToDate(contract, settings.requiredConsentVersion);
  const gatewayIdsOf = (contract: Contract) =>
    query.include && isListed(contract) && givesAccess(contract, settings.requiredConsentVersion)
      ? gatewayIdsIn(contract)
      : null;
  const onPage = firstUpTo(maxGatewaysPerPage, contracts, (contract) => gatewayIdsOf(contract)?.length ?? 0);
  const existing = await existingGatewayIds(
    store,
    onPage.flatMap((contract) => gatewayIdsOf(contract) ?? []),
  );

  const itemOf = (contract: Contract) =>
    isListed(contract)
      ? {
          ...contractBody(contract, settings),
          gateways: gatewayIdsIn(contract).length,
          ...(query.include && { gatewayIds: gatewayIdsOf(contract)?.filter((id) => existing.has(id)) ?? null }),
        }
      : undefined;
  const end = onPage.length < contracts.length ? onPage.at(-1)?.userId : next;
  return pageAnswer(call, onPage, { itemOf, positionOf: ({ userId }) => userId, next: end });
});
