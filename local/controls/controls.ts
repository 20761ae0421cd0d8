import { homeControls, seenAt } from '../../lambdas/sandbox/home-controls.ts';

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
  ...homeControls,
  // An owner of the demo world may have several gateways.
  'consent-withdrawn': { ...homeControls['consent-withdrawn'], takes: ['owner'] },
  'consent-renewed': { ...homeControls['consent-renewed'], takes: ['owner'] },
  'contract-ended': { ...homeControls['contract-ended'], takes: ['owner'] },
  'contract-opened': { ...homeControls['contract-opened'], takes: ['owner'] },
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
  return seenAt(controls[name], words[takes.indexOf('gateway')] ?? '');
};
