import type { Listed, PartsOf } from '../api/chain.ts';
import type { Endpoint } from '../api/endpoints/endpoint.ts';
import { Problem } from '../api/problems.ts';
import { type Contract, isConsentUpToDate } from '../domain/contract.ts';
import type { SettingReader } from '../runtime/function-environment.ts';
import type { NamedUser, Opened, Outcome } from './request.ts';

type Call = Opened & {
  readonly userId: NamedUser;
  readonly contract: Contract | undefined;
  readonly isGatewayCovered: boolean;
  readonly environment: { readonly setting: Setting };
};

type Setting = SettingReader<Listed<PartsOf<'authorization'>, 'settings'>>;

/** The contract that the request is about: always present for remote control, optional for other endpoints. */
export type ActingUnder<Row extends Endpoint> = {
  readonly contract: Row extends { readonly onBehalfOfUser: true } ? Contract : Contract | undefined;
};

/**
 * Admits remote control that the owner has agreed to: the owner whom the request names has an active contract with the
 * company, the contract covers the gateway, and consent is up to date. The answer is the same for an owner of another
 * company and an unknown owner, and for a gateway of another owner and an unknown gateway.
 */
export function authorization<Row extends Endpoint>(
  row: Row,
): (call: Call) => Outcome<'authorization', ActingUnder<Row>>;
export function authorization({
  onBehalfOfUser,
}: Endpoint): (call: Call) => Outcome<'authorization', { readonly contract: Contract | undefined }> {
  return async ({ userId, contract, isGatewayCovered, environment }: Call) => {
    if (userId === 'missing') return onBehalfOfUser ? new Problem('user-id-missing') : { contract };
    if (!contract) return new Problem('user-id-mismatch');
    if (!onBehalfOfUser) return { contract };
    if (contract.state !== 'active') return new Problem('contract-not-active');
    if (!isGatewayCovered) return new Problem('gateway-not-in-contract');
    return consentProblem(contract, environment.setting) ?? { contract };
  };
}

/** Returns a problem with the consent portal's URL until the owner has accepted the latest consent version. */
const consentProblem = (contract: Contract, setting: Setting) => {
  const requiredConsentVersion = setting('requiredConsentVersion');
  if (isConsentUpToDate(contract, requiredConsentVersion)) return undefined;
  const portalUrl = setting('consentPortalUrl');
  return new Problem(
    'consent-outdated',
    { requiredConsentVersion, acceptedConsentVersion: contract.acceptedConsentVersion, portalUrl },
    { Link: `<${portalUrl}>; rel="blocked-by"` },
  );
};
