import { contractBody } from '../answers/contract.ts';
import { pageAnswer, pageStart } from '../answers/pages.ts';
import type { Settings } from '../api/environment.ts';
import { Problem } from '../api/problems.ts';
import { serve } from '../chain/serve.ts';
import { findOnlyContract, readContractPage } from '../data/contracts/contracts.ts';
import { type Contract, gatewayIdsIn, isConsentUpToDate } from '../domain/contract.ts';
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
  const { contracts, next } = await readContractPage(store, company.companyId, query.limit, start);
  const settings = consentSettings(setting);
  const itemOf = (contract: Contract) =>
    query.consent === undefined || !isConsentUpToDate(contract, settings.requiredConsentVersion)
      ? { ...contractBody(contract, settings), gateways: gatewayIdsIn(contract).length }
      : undefined;
  return pageAnswer(call, contracts, { itemOf, positionOf: ({ userId }) => userId, next });
});
