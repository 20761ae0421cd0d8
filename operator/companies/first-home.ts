import { setDefaultResultOrder } from 'node:dns';
import { setDefaultAutoSelectFamily } from 'node:net';
import { deployCommandOfTrial } from '../../config/trial.ts';
import type { NewKey } from '../../lambdas/domain/api-key.ts';
import { homeOf, simulatedGatewayIds } from '../../lambdas/sandbox/homes.ts';
import { createPartnerClient } from '../../partner/client/partner-client.ts';
import type { OperatorContext } from '../cli/context.ts';
import { OperatorError } from '../error.ts';

/** The sandbox looks for new companies each minute, so this is enough if the call that starts it at once is lost. */
const waitSeconds = 180;
/** The calls leave most of the rate policy of the owner to the person who pastes the command. */
const pauseSeconds = 2;

/**
 * Starts the sandbox of a trial at once, and calls the API with the key until the first simulated home of the company answers.
 * Returns the same call as a command line of curl. It reads the key from the file, since the shell history keeps what is typed.
 * Throws an OperatorError that says what to do if no home answers.
 */
export const awaitFirstHome = async (context: OperatorContext, key: NewKey, keyFile: string): Promise<string> => {
  const { connect, host, talk } = context;
  const { startSandbox, readBaseUrl } = await connect();
  const baseUrl = await readBaseUrl();
  const userId = ownerOfFirstHome(key.companyId);
  const family = callFromRegisteredFamily(context);
  const client = createPartnerClient({ baseUrl, apiKey: key.apiKey, userId, patienceSeconds: 0 });
  talk(`Waiting for the first home of ${key.companyId}, at most ${waitSeconds} seconds.`);
  await startSandbox?.();
  const deadlineMs = host.nowMs() + waitSeconds * 1000;
  for (;;) {
    const answer = await client.call('listGateways');
    if (answer.ok && answer.body.items.length > 0) return curlOf({ baseUrl, userId, keyFile, family });
    const { code, detail } = answer.ok ? noHome : answer.problem;
    if (code === 'source-address-not-allowed') throw notAdmitted(context);
    if (host.nowMs() >= deadlineMs) throw unanswered(context, `${code}: ${detail}`);
    await host.wait(pauseSeconds * 1000);
  }
};

/**
 * Lets all later calls of this process use IPv4 if the trial admits an IPv4 address, and otherwise IPv6. The API has addresses of
 * both families, and a machine that has both would call from an address that nobody has registered.
 */
export const callFromRegisteredFamily = (context: OperatorContext): Family => {
  const family = addressesOf(context).some((block) => block.includes(':')) ? 'ipv6' : 'ipv4';
  setDefaultResultOrder(`${family}first`);
  setDefaultAutoSelectFamily(false);
  return family;
};

type Family = 'ipv4' | 'ipv6';

const ownerOfFirstHome = (companyId: string): string => {
  const [gatewayId = ''] = simulatedGatewayIds(companyId, 1);
  const home = homeOf(gatewayId);
  if (!home) throw new Error(`${gatewayId} is not the gateway of a simulated home.`);
  return home.userId;
};

const addressesOf = ({ config }: OperatorContext) => config.companies.flatMap(({ allowedCidrs }) => allowedCidrs);

const notAdmitted = (context: OperatorContext) =>
  new OperatorError(
    'refused',
    `The key is registered, but the trial admits only ${addressesOf(context).join(', ')}, and this machine calls from another address. To admit it, run: ${deployCommandOfTrial(context.stage)}. Then run this command again.`,
  );

const noHome = { code: 'no home', detail: 'The owner has granted access to none yet.' };

const unanswered = ({ stage }: OperatorContext, last: string) =>
  new OperatorError(
    'unavailable',
    `The key is registered, but no home answered within ${waitSeconds} seconds; the last answer was ${last} Run this command again to wait on. If no home answers then either: doctor --stage ${stage}, and the events of simulateHomes in the log group ConsumerLog say why.`,
  );

type Call = {
  readonly baseUrl: string;
  readonly userId: string;
  readonly keyFile: string;
  readonly family: Family;
};

const curlOf = ({ baseUrl, userId, keyFile, family }: Call): string =>
  `curl --${family} --header "x-api-key: $(cat ${quoted(keyFile)})" --header "x-user-id: ${userId}" ${baseUrl}/hvacs`;

/** Quotes a path for a shell, if it needs quotes. */
const quoted = (path: string): string => (/^[\w./+-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`);
