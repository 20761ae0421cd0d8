import type { StepName } from '../api/chain/chain.ts';
import { activeContract } from './steps/access/active-contract.ts';
import { company } from './steps/access/company.ts';
import { consent } from './steps/access/consent.ts';
import { gatewayGrant } from './steps/access/gateway-grant.ts';
import { keyLookup } from './steps/access/key-lookup.ts';
import { keyValidity } from './steps/access/key-validity.ts';
import { sourceAddress } from './steps/access/source-address.ts';
import { userId } from './steps/access/user-id.ts';
import { body } from './steps/input/body.ts';
import { idempotencyKey } from './steps/input/idempotency-key.ts';
import { ifMatch } from './steps/input/if-match.ts';
import { pathIds } from './steps/input/path-ids.ts';
import { presentedKey } from './steps/input/presented-key.ts';
import { query } from './steps/input/query.ts';
import { admissionMemory } from './steps/rate-limits/admission-memory.ts';
import { consumeToken } from './steps/rate-limits/consume-token.ts';
import { rateLimit } from './steps/rate-limits/rate-limit.ts';
import { rateLimitKey } from './steps/rate-limits/rate-limit-key.ts';
import { tokenAhead } from './steps/rate-limits/token-ahead.ts';
import { unknownGateway } from './steps/rate-limits/unknown-gateway.ts';
import { auditContext } from './steps/records/audit-context.ts';
import { circuit } from './steps/records/circuit.ts';
import { gateway } from './steps/records/gateway.ts';
import { keyUsage } from './steps/records/key-usage.ts';
import { lookup } from './steps/records/lookup.ts';
import { preloads } from './steps/records/preloads.ts';
import { timeProgram } from './steps/records/time-program.ts';
import type { Step } from './steps/step.ts';

/** The step of each row of `api/chain/chain.ts`, which has their order. */
export const steps: { readonly [Name in StepName]: Step<Name> } = {
  presentedKey,
  pathIds,
  rateLimitKey,
  keyLookup,
  tokenAhead,
  lookup,
  keyValidity,
  company,
  sourceAddress,
  unknownGateway,
  preloads,
  consumeToken,
  admissionMemory,
  rateLimit,
  keyUsage,
  activeContract,
  userId,
  gatewayGrant,
  consent,
  query,
  idempotencyKey,
  ifMatch,
  body,
  circuit,
  timeProgram,
  gateway,
  auditContext,
};
