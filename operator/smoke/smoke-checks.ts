import { generateKey } from '../../lambdas/domain/api-keys/api-key.ts';
import { createPartnerClient } from '../../partner/client/partner-client.ts';

export type Api = { readonly baseUrl: string; readonly apiKey: string; readonly nowMs: number };

/** What one call of the API has brought: the status, and the code of the problem if it was refused. */
export type Observed = { readonly status: number | null; readonly code: string | null; readonly detail: string | null };

export type SmokeCheck = {
  readonly what: string;
  readonly expected: Pick<Observed, 'status' | 'code'>;
  readonly call: () => Promise<Observed>;
};

/** No call is repeated: what fails once has failed. */
const patienceSeconds = 0;
const timeoutMs = 10_000;

/**
 * The calls that together say that a stage serves: the edge lets this address in, keys are asked for and looked up, and a
 * company with a good key is answered. They change nothing.
 */
export const smokeChecksOf = ({ baseUrl, apiKey, nowMs }: Api): SmokeCheck[] => {
  const client = createPartnerClient({ baseUrl, apiKey, patienceSeconds });
  const { apiKey: unknownKey } = generateKey('nobody', nowMs);
  return [
    { what: 'no key is refused', expected: refusedAs('api-key-missing'), call: () => callWithoutKey(baseUrl) },
    {
      what: 'a key that nobody has is refused',
      expected: refusedAs('api-key-invalid'),
      call: async () => observedOf(await client.call('getOwnApiKey', { apiKey: unknownKey })),
    },
    { what: 'the key is good', expected: served, call: async () => observedOf(await client.call('getOwnApiKey')) },
    { what: 'the contract is read', expected: served, call: async () => observedOf(await client.call('getContract')) },
  ];
};

const served = { status: 200, code: null };
const refusedAs = (code: string) => ({ status: 401, code });

/** What all answers of the client have in common. */
type AnyAnswer =
  | { readonly ok: true; readonly status: number }
  | { readonly ok: false; readonly problem: { status?: number | undefined; code: string; detail: string } };

const observedOf = (answer: AnyAnswer): Observed => {
  if (answer.ok) return { status: answer.status, code: null, detail: null };
  const { status = null, code, detail } = answer.problem;
  return { status, code, detail };
};

/** The client has no way to call without a key. */
const callWithoutKey = async (baseUrl: string): Promise<Observed> => {
  try {
    const response = await fetch(`${baseUrl}/contract`, { redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) });
    const { code = null, detail = null } = (await response.json().catch(() => ({}))) as Partial<Observed>;
    return { status: response.status, code, detail };
  } catch (error) {
    const { message, cause } = error as Error;
    return { status: null, code: 'no-answer', detail: `${message}: ${(cause as Error | undefined)?.message ?? ''}` };
  }
};
