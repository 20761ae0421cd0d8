/** The arguments of controls, as the command line names them; those in brackets are optional. */
export const placeholders = {
  gateway: '<gateway>',
  function: '[function]',
  code: '[code]',
  celsius: '<celsius>',
  owner: '[owner]',
  company: '[company]',
  duration: '<duration>',
  status: '[status]',
} as const;

export type ArgumentName = keyof typeof placeholders;

/**
 * Triggers something in the demo world that would take too long to wait for. It does what the real cause does. There is no
 * virtual clock: functions are processes of their own, and a clock that only some of them follow would cause events that
 * contradict each other.
 */
type Control = {
  readonly takes: readonly ArgumentName[];
  /** One sentence. */
  readonly does: string;
  /** What a partner sees afterwards, in Markdown; `{gateway}` is replaced by the control's argument. */
  readonly seen: string;
};

/** All controls of the demo world. Help, the table of the guide and the tests follow from these rows. */
export const controls = {
  offline: {
    takes: ['gateway'],
    does: 'A gateway goes offline: its appliance applies and reports nothing until `online`.',
    seen: '`GET /hvacs/{gateway}` has `connectivity: offline`, a change stays `pending`, and the feed has `gateway.connectivity_changed`.',
  },
  online: {
    takes: ['gateway'],
    does: 'A gateway is online again, and receives the changes that were requested while it was offline.',
    seen: '`GET /hvacs/{gateway}` has `connectivity: online`, pending changes become `confirmed`, and the feed has `gateway.connectivity_changed` and `circuit.changed`.',
  },
  refuse: {
    takes: ['gateway'],
    does: 'The appliance refuses all requested changes until `accept`.',
    seen: 'The next change at `/hvacs/{gateway}` is 202 and stays `pending`. After a second or two it has `lastRefusal`, and the feed has another `circuit.changed`.',
  },
  accept: {
    takes: ['gateway'],
    does: 'The appliance applies changes again, including changes that it has refused.',
    seen: 'The changes at `/hvacs/{gateway}` become `confirmed`, `lastRefusal` is removed, and the feed has `circuit.changed`.',
  },
  block: {
    takes: ['gateway', 'function'],
    does: 'The appliance blocks a function for an hour. The default is `heatingCircuits`.',
    seen: '`GET /hvacs/{gateway}` lists the function in `blockedFunctions`, a change that needs the function is `409 appliance-function-blocked`, and the feed has `function.blocked`.',
  },
  unblock: {
    takes: ['gateway', 'function'],
    does: 'The appliance ends the block.',
    seen: '`blockedFunctions` of `GET /hvacs/{gateway}` no longer lists the function, changes are 202 again, and the feed has `function.unblocked`.',
  },
  fault: {
    takes: ['gateway', 'code'],
    does: 'The appliance has a fault. The default code is `F.75`.',
    seen: '`GET /hvacs/{gateway}` lists the fault in `faults`, and the feed has `fault.reported`.',
  },
  'fault-cleared': {
    takes: ['gateway', 'code'],
    does: 'The fault ends.',
    seen: '`faults` of `GET /hvacs/{gateway}` no longer lists the fault, and the feed has `fault.cleared`.',
  },
  'owner-sets': {
    takes: ['gateway', 'celsius'],
    does: 'The owner sets the room temperature of the first heating circuit at the appliance.',
    seen: '`roomSetpointCelsius` of `GET /hvacs/{gateway}/heatingCircuits/hc1` has the new value, and the feed has `circuit.changed` without a request of yours.',
  },
  'day-passes': {
    takes: ['gateway'],
    does: 'The appliance reports the energy of today as if the day were over.',
    seen: '`GET /hvacs/{gateway}/energy` has today as its last day, and the feed has `energy.reported`.',
  },
  'hour-passes': {
    takes: ['gateway'],
    does: 'The appliance reports the energy of the current hour as if the hour were over.',
    seen: '`GET /hvacs/{gateway}/energy/hours` has the current hour as its last hour. The feed has no events of hours.',
  },
  'day-corrected': {
    takes: ['gateway'],
    does: 'The appliance reports the last day again, with more heat each time.',
    seen: '`GET /hvacs/{gateway}/energy` has the new values of that day, and the feed has another `energy.reported` with the same `day`.',
  },
  'consent-withdrawn': {
    takes: ['owner'],
    does: 'The owner withdraws consent in the portal.',
    seen: 'Operations under `/hvacs` are `451 consent-outdated`, `GET /contract` has `upToDate: false`, and the feed has `consent.changed` and withholds the events of appliances.',
  },
  'consent-renewed': {
    takes: ['owner'],
    does: 'The owner accepts the required terms in the portal.',
    seen: 'Operations under `/hvacs` work, `GET /contract` has `upToDate: true`, and the feed has `consent.changed`.',
  },
  'contract-ended': {
    takes: ['owner'],
    does: 'The owner ends the contract with your company in the portal.',
    seen: 'Operations under `/hvacs` are `403 contract-not-active`, `GET /contract` has `state: ended`, and the feed has `contract.changed`. If it was the last contract of the company, its webhooks are disabled.',
  },
  'contract-opened': {
    takes: ['owner'],
    does: 'The owner concludes the contract again.',
    seen: '`GET /contract` has `state: active`, operations under `/hvacs` work if consent is up to date, and the feed has `contract.changed`.',
  },
  'gateway-removed': {
    takes: ['gateway'],
    does: 'The owner revokes your company’s access to the gateway in the portal.',
    seen: '`GET /hvacs/{gateway}` is `403 gateway-not-in-contract`, `GET /hvacs` leaves it out, and the feed has `gateway.removed`.',
  },
  'gateway-added': {
    takes: ['gateway'],
    does: 'The owner grants your company access to the gateway again.',
    seen: '`GET /hvacs/{gateway}` works, `GET /hvacs` lists it, and the feed has `gateway.added`.',
  },
  'key-expires-in': {
    takes: ['duration', 'company'],
    does: 'The key of `demo.json` expires after a time such as `13d`, `2h` or `0m`, and expiry notices are sent at once.',
    seen: '`x-api-key-expires-at` of each response and `GET /api-keys/me` have the new time. If a notice is due, the feed has `api_key.expiring`; a request with an expired key is `401 api-key-expired`.',
  },
  'cursors-expire': {
    takes: ['company'],
    does: 'All cursors of the company expire, as after a loss of events.',
    seen: '`GET /events` with an earlier cursor is `410 cursor-expired`, with `oldestCursor`.',
  },
  suspend: {
    takes: ['company'],
    does: 'The operator suspends the company.',
    seen: 'Every operation is `403 company-suspended`, and the service sends no webhook messages.',
  },
  resume: {
    takes: ['company'],
    does: 'The operator ends the suspension.',
    seen: 'Every operation works as before.',
  },
  'service-fails': {
    takes: [],
    does: 'The store of the service does not respond until `service-works`.',
    seen: 'Every operation is `503 service-unavailable`. Changes of appliances and owners, and webhook messages, are delayed until then.',
  },
  'service-works': {
    takes: [],
    does: 'The store responds again.',
    seen: 'Every operation works as before, and the delayed changes and messages follow within a minute.',
  },
  'receiver-fails': {
    takes: ['status'],
    does: 'The webhook receiver of the demo world responds to each message with 503, or with the given status.',
    seen: '`GET /webhooks/{webhookId}` has `failingSince` and the status in `lastAttempt` after the next message. After 410 the webhook is disabled at once, and the feed has `webhook.disabled`.',
  },
  'receiver-works': {
    takes: [],
    does: 'The receiver accepts messages again.',
    seen: '`failingSince` of `GET /webhooks/{webhookId}` is null after the next attempt.',
  },
} as const satisfies Readonly<Record<string, Control>>;

export type ControlName = keyof typeof controls;

export const controlRows = Object.entries(controls) as readonly (readonly [ControlName, Control])[];

/** Returns a control's usage on the command line, without the program's name. */
export const usageOf = (name: ControlName): string =>
  [name, ...controls[name].takes.map((argument) => placeholders[argument])].join(' ');

/** The program's name, as a user types it. */
export const programName = 'npm run demo --';

/** Returns what a partner sees after a control with these arguments, for a terminal. */
export const seenLine = (name: ControlName, words: readonly string[]): string => {
  const takes: readonly ArgumentName[] = controls[name].takes;
  const filled = controls[name].seen.replaceAll('{gateway}', words[takes.indexOf('gateway')] ?? '');
  return withoutMarkdown(filled);
};

/** Strips the backticks from a row's text, for a terminal. */
export const withoutMarkdown = (markdown: string): string => markdown.replaceAll('`', '');
