import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Listed, PartsOf } from '../api/chain.ts';
import type { Endpoint } from '../api/endpoints/endpoint.ts';
import { Problem } from '../api/problems.ts';
import type { SettingReader } from '../data/function-environment.ts';
import { type Contract, isConsentUpToDate } from '../domain/contract.ts';
import { headerValues, type Opened, type Outcome } from './request.ts';

type Call = Opened & {
  readonly contract: Contract;
  readonly isGatewayCovered: boolean;
  readonly environment: { readonly setting: Setting };
};

type Setting = SettingReader<Listed<PartsOf<'authorization'>, 'settings'>>;

/** Lets remote control pass that the owner has agreed to: under an active contract that covers the gateway, with consent. */
export const authorization =
  ({ onBehalfOfUser }: Endpoint) =>
  async ({ event, contract, isGatewayCovered, environment }: Call): Outcome<'authorization', undefined> => {
    // The contract itself can still be read when it has ended.
    if (onBehalfOfUser && contract.state !== 'active') return new Problem('contract-not-active');
    const userProblem = onBehalfOfUser && actingForProblem(event, contract);
    if (userProblem) return userProblem;
    // An unknown gateway and somebody else's get the same answer, so that neither shows.
    if (!isGatewayCovered) return new Problem('gateway-not-in-contract');
    return onBehalfOfUser && consentProblem(contract, environment.setting);
  };

/** Refuses a request that does not name the contract's owner in `x-user-id`. */
export const actingForProblem = (event: APIGatewayProxyEvent, { userId }: Pick<Contract, 'userId'>) => {
  const values = headerValues(event, 'x-user-id');
  if (values.every((value) => value === '')) return new Problem('user-id-missing');
  return values.length === 1 && values[0] === userId ? undefined : new Problem('user-id-mismatch');
};

/** Refuses until the owner has accepted the latest consent version, and says where that is done. */
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
