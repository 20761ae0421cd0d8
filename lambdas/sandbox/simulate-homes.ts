import type { CommandRefusal } from '../../simulator/appliance-commands.ts';
import { fullReport } from '../../simulator/full-report.ts';
import { createSimulatedAppliance, type SimulatedAppliance } from '../../simulator/simulated-appliance.ts';
import type { EventContent } from '../api/log-events/request-event.ts';
import type { SimulatedHomeEvent } from '../api/log-events/sandbox-events.ts';
import { retrying } from '../data/store/attempts.ts';
import { toDate } from '../domain/time.ts';
import { faultFields, writeEvent } from '../runtime/log-lines.ts';
import { livelyForMs, nextDueMs } from './due-times.ts';
import type { SandboxEnvironment } from './environment.ts';
import { homeOf, type SimulatedHome, simulatedGatewayIds } from './homes.ts';
import type { SandboxMessage } from './messages.ts';
import { listActiveCompanies, newHome } from './new-company.ts';
import { listHomes, readHome, type StoredHome, writeHome } from './simulated-homes.ts';

type Content = EventContent<SimulatedHomeEvent>;

/** The maximum number of homes that one run simulates concurrently. */
const atOnce = 20;

/**
 * Installs the homes of new companies, and simulates all homes that are due. It can run any number of times, also concurrently,
 * and can fail at any point: the next run does what is left. A home that fails does not block the others.
 */
export const simulateDueHomes = async (environment: SandboxEnvironment): Promise<void> => {
  const { store, homesTable, homesOfCompany, processTimeMs } = environment;
  const nowMs = processTimeMs();
  const [homes, companies] = await Promise.all([listHomes(homesTable), listActiveCompanies(store)]).catch(
    (error: unknown) => {
      logHome(environment, { outcome: 'failed', ...faultFields(error) });
      throw error;
    },
  );
  const known = new Set(homes.map(({ gatewayId }) => gatewayId));
  const missing = companies
    .flatMap((companyId) => simulatedGatewayIds(companyId, homesOfCompany()))
    .filter((gatewayId) => !known.has(gatewayId));
  const active = new Set(companies);
  const isOfActive = (gatewayId: string) => active.has(homeOf(gatewayId)?.companyId ?? '');
  const due = homes.filter((home) => home.dueAtMs <= nowMs && isOfActive(home.gatewayId));
  const work = [
    ...missing.map((gatewayId) => () => install(environment, gatewayId)),
    ...due.map(
      ({ gatewayId }) =>
        () =>
          changeHome(environment, gatewayId),
    ),
  ];
  const faults: unknown[] = [];
  for (let start = 0; start < work.length; start += atOnce)
    for (const result of await Promise.allSettled(work.slice(start, start + atOnce).map((each) => each())))
      if (result.status === 'rejected') faults.push(result.reason);
  if (faults.length > 0) throw faults[0];
};

/** Creates a home unless another run has just created it, and simulates it for the first time. */
const install = async (environment: SandboxEnvironment, gatewayId: string): Promise<void> => {
  const { homesTable, setting, processTimeMs } = environment;
  const home = homeOf(gatewayId);
  if (!home) return;
  const installed = newHome(home, setting('requiredConsentVersion'), processTimeMs());
  if ((await writeHome(homesTable, installed, 0)) === undefined) return;
  logHome(environment, { gatewayId, outcome: 'installed' });
  await changeHome(environment, gatewayId);
};

/** What happens to a home in addition to what is due. `act` returns events, or the reason why the home sends no event. */
export type Cause = {
  readonly control?: string;
  readonly act: (
    appliance: SimulatedAppliance,
    home: SimulatedHome,
  ) => Promise<readonly SandboxMessage[] | CommandRefusal>;
};

/**
 * Lets a home do what the cause says and what is due, and sends the events. Writes a log line unless the home was only due and
 * reports nothing. Throws if the store, the queue or the bus fails; then the same call does what is left.
 */
export const changeHome = async (environment: SandboxEnvironment, gatewayId: string, cause?: Cause): Promise<void> => {
  const control = cause?.control;
  try {
    const home = homeOf(gatewayId);
    const result = home && (await simulate(environment, home, cause));
    if (!result) logHome(environment, { gatewayId, control, outcome: 'unknown-home' });
    else if (cause || result.messages > 0) logHome(environment, { gatewayId, control, ...result });
  } catch (error) {
    logHome(environment, { gatewayId, control, outcome: 'failed', ...faultFields(error) });
    throw error;
  }
};

type Result = { readonly outcome: 'simulated' | CommandRefusal; readonly messages: number };

/** Returns undefined if there is no such home. Starts again if another call has changed the home meanwhile. */
const simulate = async (
  environment: SandboxEnvironment,
  home: SimulatedHome,
  cause: Cause | undefined,
): Promise<Result | undefined> => {
  const { homesTable, processTimeMs } = environment;
  const { gatewayId } = home.appliance;
  const { result } = await retrying({ to: 'change a simulated home', atMost: 5 }, async () => {
    const found = await readHome(homesTable, gatewayId);
    if (!found) return { result: undefined };
    const { state, livelyUntilMs, reportedAllOn, unsent } = found.home;
    // Before anything else happens to the home, so that its item does not grow while sending fails.
    const seen = unsent.length > 0 ? await sendUnsent(environment, found.home, found.version) : found.version;
    if (seen === undefined) return undefined;
    const appliance = createSimulatedAppliance(home.appliance, state);
    const caused = cause ? await cause.act(appliance, home) : [];
    const nowMs = processTimeMs();
    const reportsAll = !state.isOffline && reportedAllOn < toDate(nowMs);
    const messages = [
      ...(typeof caused === 'string' ? [] : caused),
      // A millisecond earlier, so that what changes in this step is newer.
      ...(reportsAll ? fullReport(home.appliance, state, nowMs - 1) : []),
      ...appliance.step(nowMs),
    ];
    const livelyUntil = cause ? nowMs + livelyForMs : livelyUntilMs;
    const next = {
      state,
      unsent: messages,
      reportedAllOn: reportsAll ? toDate(nowMs) : reportedAllOn,
      livelyUntilMs: livelyUntil,
      dueAtMs: nextDueMs(state, livelyUntil, nowMs),
    };
    const count = messages.length + unsent.length;
    // Until its events are sent, the home stays due, so that the next run sends them if this call fails.
    const version = await writeHome(homesTable, messages.length > 0 ? { ...next, dueAtMs: nowMs } : next, seen);
    if (version === undefined) return undefined;
    if (messages.length > 0) await sendUnsent(environment, next, version);
    return { result: { outcome: typeof caused === 'string' ? caused : ('simulated' as const), messages: count } };
  });
  return result;
};

/**
 * Sends the events that a home has not sent, and returns the new version of its item; undefined if another call has changed the
 * home, and so sent them, too: the service ignores repeated events. If sending fails, stores what is left, and throws.
 */
const sendUnsent = async (
  { homesTable, send, processTimeMs }: SandboxEnvironment,
  home: StoredHome,
  version: number,
): Promise<number | undefined> => {
  let sent = 0;
  try {
    for (const message of home.unsent) {
      await send(message);
      sent++;
    }
  } catch (error) {
    await writeHome(homesTable, { ...home, unsent: home.unsent.slice(sent), dueAtMs: processTimeMs() }, version);
    throw error;
  }
  return writeHome(homesTable, { ...home, unsent: [] }, version);
};

/** Writes the log line of what was done with a home. */
export const logHome = (environment: SandboxEnvironment, content: Omit<Content, 'level' | 'operation'>): void => {
  const level = content.outcome === 'failed' ? 'ERROR' : 'INFO';
  writeEvent(environment, environment.processTimeMs(), {
    level,
    operation: 'simulateHomes',
    ...content,
  } satisfies Content);
};
