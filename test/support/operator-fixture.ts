import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadStageConfig } from '../../config/load.ts';
import type { StageConfig } from '../../config/schema.ts';
import { findContract } from '../../lambdas/data/contracts/contracts.ts';
import { grantGateway } from '../../lambdas/data/contracts/grants.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { toTimestamp } from '../../lambdas/domain/time.ts';
import type { AnyCommand } from '../../operator/cli/command.ts';
import type { ExitCode } from '../../operator/error.ts';
import { eventLike, reportGateway } from './messages.ts';
import { type OperatorOptions, temporaryDirectory } from './operator.ts';
import type { OpenIntegrations } from './operator-integrations.ts';
import { createRequestLog, type RequestLine } from './usage.ts';
import { putWebhook } from './webhooks.ts';
import { issueKey, onboard, partiesOf, startMs, theWorld } from './world.ts';

/** The environment of a command line, and the queues of its stage. */
type Means = {
  readonly integrations: OpenIntegrations;
  readonly operate: (
    commandLine: readonly string[],
    options: OperatorOptions,
  ) => Promise<{ readonly exit: ExitCode; readonly stderr: string }>;
};

export let means: Means;
export let store: Store;
let shared: ReturnType<typeof prepare> | undefined;

/** Uses this world for the runs of all commands. */
export const openRuns = async (given: Means) => {
  means = given;
  ({ store } = theWorld());
  shared = undefined;
  await reportGateway(store, 'gw-open');
};

/** The folder of a run, with an onboarded company and a company that is only in the configuration. */
export type Fixture = Awaited<ReturnType<typeof prepare>> & { letterId?: string };

/** A command line, with actions before it or before its transaction is sent. */
export type Run = {
  readonly argv: (fixture: Fixture) => readonly string[];
  /** The expected ending; default `ok`. */
  readonly exit?: ExitCode;
  readonly before?: (fixture: Fixture) => Promise<unknown>;
  readonly beforeWrite?: (fixture: Fixture) => Promise<unknown>;
};

let newcomers = 0;

/** A key that was issued then has expired. */
export const longAgoMs = startMs - 400 * 24 * 60 * 60 * 1000;

/** A company, and the folder of its commands: a CSV file, events, a stack trace with its source map, the log of a function. */
const prepare = async () => {
  const newcomerId = `newcomer${newcomers++}`;
  const onboarded = await onboard(store, { acceptedConsentVersion: 2 });
  const { companyId, company } = onboarded;
  const expired = await issueKey(store, companyId, longAgoMs);
  await grantGateway(store, partiesOf(companyId), 'gw-1', startMs - 2000);
  const contract = (await findContract(store, partiesOf(companyId))) ?? onboarded.contract;
  const { webhookId } = await putWebhook(companyId, { verifiedAtMs: startMs });
  const directory = temporaryDirectory();
  const data = { userId: contract.userId };
  const withdrawal = eventLike('portal.consent.withdrawn.v1', { subject: companyId, data });
  const files = {
    'gateways.csv': 'gw-3\n',
    'owners.csv': 'new-owner,gw-4\n',
    'trace.txt': 'Error: none\n    at ze (0123456789ab.mjs:1:1)\n',
    '0123456789ab.map': JSON.stringify({ version: 3, sources: ['lambdas/a.ts'], names: [], mappings: 'AAAA' }),
    'withdrawal.json': JSON.stringify(withdrawal),
    'block.json': JSON.stringify(eventLike('function.blocked.v1', { subject: 'gw-1' })),
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content);
  const gatewayIds = Array.from({ length: 50 }, (_, index) => `gw-${index}`);
  const companies = [
    { ...company, userId: contract.userId, companyId: newcomerId, gatewayIds },
    {
      ...company,
      userId: contract.userId,
      allowedCidrs: ['127.0.0.1/32', '127.0.0.2/32'],
      gatewayIds: ['gw-1'],
    },
  ];
  const anybody = ['arn:aws:iam::444455556666:root'];
  const neighbours = { portalPrincipals: anybody, gatewayBackendPrincipals: anybody };
  const config = { ...loadStageConfig('local'), companies, neighbours } as unknown as StageConfig;
  const log = createRequestLog(logLines(companyId));
  log.showUntil(startMs);
  const queryLog = { requests: log.queryPage, access: async () => [], consumers: async () => [] };
  const options = { store, directory, connection: { queryLog }, config, stdin: `${onboarded.key.apiKey}\n` };
  return { ...onboarded, contract, newcomerId, expired, webhookId, options };
};

/** The request that `request show` shows. */
export const shownRequest = { requestId: 'shown-request', atMs: startMs - 60_000 };

const logLines = (companyId: string) =>
  [
    { timestamp: '2036-03-10T11:00:00Z', companyId, status: 200 },
    { timestamp: '2036-03-10T11:00:01Z', companyId, status: 429, reason: 'rate-limit-exceeded' },
    { timestamp: '2036-03-10T11:00:02Z', companyId: 'another', status: 403, reason: 'x' },
    { timestamp: '2036-03-10T11:00:03Z', companyId, status: 451, reason: 'consent-outdated' },
    { timestamp: toTimestamp(shownRequest.atMs), companyId, status: 202, requestId: shownRequest.requestId },
  ].map((event) => ({ requestId: 'r', operation: 'getContract', ...event }) as object as RequestLine);

/** Prepares the fixture of a run. Runs that change nothing, and runs about messages, share a fixture. */
export const prepareFor = async (command: AnyCommand, { before }: Run, isLook: boolean): Promise<Fixture> => {
  const isShared = (isLook && !before) || command.noun.startsWith('integration');
  if (isShared) shared ??= prepare();
  const fixture: Fixture = { ...(await (isShared && shared ? shared : prepare())) };
  await before?.(fixture);
  return fixture;
};
