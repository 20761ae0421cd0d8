import * as z from 'zod';
import { deployCommandOfTrial, isTrial } from '../../config/trial.ts';
import { generateKey, inspectKey } from '../../lambdas/domain/api-key.ts';
import { createPartnerClient, type PartnerClient } from '../../partner/client/partner-client.ts';
import { defineCommand } from '../cli/command.ts';
import { readStandardInput } from '../cli/text-file.ts';
import { callFromRegisteredFamily } from '../companies/first-home.ts';
import { OperatorError } from '../error.ts';

const check = z.strictObject({
  what: z.string(),
  isRight: z.boolean(),
  status: z.number().nullable(),
  code: z.string().nullable(),
  milliseconds: z.number(),
  remedy: z.string().nullable(),
});

export const smoke = defineCommand({
  noun: 'smoke',
  summary: 'Call the API of a stage from this machine, with a key from standard input, and show whether it works',
  arguments: {},
  options: {
    baseUrl: {
      summary: 'the URL to call instead of the URL of the stack; the command then does not call AWS',
      schema: z.url({ protocol: /^https$/, error: 'is not a URL; write one that begins with https://' }).optional(),
      placeholder: 'url',
    },
  },
  changes: false,
  requirements: { tableActions: {}, serviceActions: ['cloudformation:DescribeStacks'] },
  output: z.strictObject({ baseUrl: z.string(), companyId: z.string(), checks: z.array(check) }),
  run: async (context, { baseUrl: given }) => {
    const { host, nowMs, talk } = context;
    const baseUrl = given ?? (await (await context.connect()).readBaseUrl());
    if (host.isTerminal) talk('Paste a key of the company that calls from here, then Enter and Ctrl-D:');
    const apiKey = (await readStandardInput(host)).trim();
    const key = inspectKey(apiKey);
    if (!key?.isChecksumRight)
      throw new OperatorError('usage', 'There is no key on standard input. Pipe one in: ... smoke < acme.prod.key');
    const ofTrial = given === undefined && isTrial(context.stage);
    if (ofTrial) callFromRegisteredFamily(context);
    const remedies = ofTrial ? remediesOfTrial(context.stage) : remediesOfAny;
    const checks = [];
    // In sequence: the result of the first check explains those of the others.
    for (const each of smokeChecksOf({ baseUrl, apiKey, nowMs })) checks.push(await resultOf(each, remedies));
    return { baseUrl, companyId: key.companyId, checks };
  },
  view: ({ baseUrl, companyId, checks }) => [
    { fields: { 'called at': baseUrl, 'as company': companyId } },
    {
      rows: checks.map(({ what, isRight, status, code, milliseconds, remedy }) => ({
        what,
        result: isRight ? { word: 'right', level: 'ok' } : { word: 'WRONG', level: 'error' },
        answer: [status, code].filter((each) => each !== null).join(' '),
        ms: milliseconds,
        'what to do': remedy ?? '',
      })),
    },
  ],
  exits: { error: 'a check failed' },
  exitCode: ({ checks }) => (checks.every(({ isRight }) => isRight) ? 'ok' : 'error'),
});

const resultOf = async ({ what, expected, call }: SmokeCheck, remedies: Remedies): Promise<z.input<typeof check>> => {
  const startMs = performance.now();
  const { status, code, detail } = await call();
  const isRight = status === expected.status && code === expected.code;
  const milliseconds = Math.round(performance.now() - startMs);
  return { what, isRight, status, code, milliseconds, remedy: isRight ? null : remedyFor(remedies, code, detail) };
};

/** What to do, by the code of the response. */
type Remedies = Readonly<Record<string, string>>;

const remediesOfAny: Remedies = {
  'source-address-not-allowed':
    'call from a registered address of that company: address check <your address> shows where it is registered',
  'api-key-invalid': 'the key does not belong to this stage, or is deleted: key list <company>',
  'api-key-expired': 'issue a new key: key issue <company>',
  'company-suspended': 'the company is suspended: company resume <company>',
  'no-answer': 'nothing responds there: check the name in the DNS, the certificate, and the API’s stage',
  'service-unavailable': 'the store does not respond: docs/runbooks/store-unavailable.md',
};

const remediesOfTrial = (stage: string): Remedies => ({
  ...remediesOfAny,
  'source-address-not-allowed': `admit the address of this machine: ${deployCommandOfTrial(stage)}, then company onboard`,
  'service-unavailable': 'run again: a new account runs ten functions at once, and Lambda rejects further calls',
});

const remedyFor = (remedies: Remedies, code: string | null, detail: string | null): string =>
  remedies[code ?? ''] ?? `the response says: ${detail ?? 'nothing.'} Check the log: docs/runbooks/availability.md`;

type Api = { readonly baseUrl: string; readonly apiKey: string; readonly nowMs: number };

/** The result of one API call: the status, and the code of the problem if the call was refused. */
type Observed = { readonly status: number | null; readonly code: string | null; readonly detail: string | null };

type SmokeCheck = {
  readonly what: string;
  readonly expected: Pick<Observed, 'status' | 'code'>;
  readonly call: () => Promise<Observed>;
};

/** Calls are not retried. */
const patienceSeconds = 0;
const timeoutMs = 10_000;

/**
 * Returns the calls that together check that a stage serves: the edge admits this address, keys are required and looked up, and
 * a company with a valid key gets its data. They change nothing.
 */
const smokeChecksOf = ({ baseUrl, apiKey, nowMs }: Api): SmokeCheck[] => {
  const client = createPartnerClient({ baseUrl, apiKey, patienceSeconds });
  const { apiKey: unknownKey } = generateKey('nobody', nowMs);
  return [
    {
      what: 'a call without a key is refused',
      expected: refusedAs('api-key-missing'),
      call: () => callWithoutKey(baseUrl),
    },
    {
      what: 'an unknown key is refused',
      expected: refusedAs('api-key-invalid'),
      call: async () => observedOf(await client.call('getOwnApiKey', { apiKey: unknownKey })),
    },
    { what: 'the key is valid', expected: served, call: async () => observedOf(await client.call('getOwnApiKey')) },
    { what: 'a contract is read', expected: served, call: () => readContract(client) },
  ];
};

/** A company with several owners has to name one of them. */
const readContract = async (client: PartnerClient): Promise<Observed> => {
  const contracts = await client.call('listContracts');
  if (!contracts.ok) return observedOf(contracts);
  const [first] = contracts.body.items;
  return observedOf(await (first ? client.forOwner(first.userId) : client).call('getContract'));
};

const served = { status: 200, code: null };
const refusedAs = (code: string) => ({ status: 401, code });

/** The common part of all results of the client. */
type AnyAnswer =
  | { readonly ok: true; readonly status: number }
  | { readonly ok: false; readonly problem: { status?: number | undefined; code: string; detail: string } };

const observedOf = (answer: AnyAnswer): Observed => {
  if (answer.ok) return { status: answer.status, code: null, detail: null };
  const { status = null, code, detail } = answer.problem;
  return { status, code, detail };
};

/** Uses `fetch`, since the client cannot call without a key. */
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
