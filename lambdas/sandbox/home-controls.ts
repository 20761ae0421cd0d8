import { type ApplianceFunction, applianceFunctions } from '../api/schemas/gateway.ts';

/** A control of a simulated home: it causes at once what would otherwise take too long to wait for. */
export type HomeControlRow = {
  /** The gateway of the home, and a value if the control takes one. */
  readonly takes: readonly ['gateway', ControlValueName?];
  /** One sentence. */
  readonly does: string;
  /** What a partner sees afterwards, in Markdown; `{gateway}` is replaced by the gateway. */
  readonly seen: string;
};

/** The controls that the demo world and a sandbox have, by name. */
export const homeControls = {
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
    does: 'The appliance reports today as if the day were over.',
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
    takes: ['gateway'],
    does: 'The owner withdraws consent in the portal.',
    seen: 'Operations under `/hvacs` are `451 consent-outdated`, `GET /contract` has `upToDate: false`, and the feed has `consent.changed` and withholds the events of appliances.',
  },
  'consent-renewed': {
    takes: ['gateway'],
    does: 'The owner accepts the required terms in the portal.',
    seen: 'Operations under `/hvacs` work, `GET /contract` has `upToDate: true`, and the feed has `consent.changed`.',
  },
  'contract-ended': {
    takes: ['gateway'],
    does: 'The owner ends the contract with your company in the portal.',
    seen: 'Operations under `/hvacs` are `403 contract-not-active`, `GET /contract` has `state: ended`, and the feed has `contract.changed`. If it was the last contract of the company, its webhooks are disabled.',
  },
  'contract-opened': {
    takes: ['gateway'],
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
} as const satisfies Readonly<Record<string, HomeControlRow>>;

export type HomeControlName = keyof typeof homeControls;

export const homeControlNames = Object.keys(homeControls) as HomeControlName[];

/** Parses the values of controls. `read` returns undefined for a text that is no such value; `expected` says so. */
export const controlValues = {
  function: {
    read: (word: string = 'heatingCircuits'): ApplianceFunction | undefined =>
      applianceFunctions.find((name) => name === word),
    expected: `is not a function of an appliance. The functions are ${applianceFunctions.join(', ')}.`,
  },
  code: {
    read: (word: string = 'F.75'): string | undefined => (/^[A-Za-z0-9._-]{1,20}$/.test(word) ? word : undefined),
    expected: 'is not a fault code; write 1 to 20 letters, digits, ".", "_" and "-".',
  },
  celsius: {
    read: (word: string = ''): number | undefined => {
      const celsius = Number(word);
      return celsius >= 5 && celsius <= 30 && Number.isInteger(celsius * 2) ? celsius : undefined;
    },
    expected: 'is not a room temperature; write one from 5 to 30 in steps of 0.5, such as 19.5.',
  },
} as const;

export type ControlValueName = keyof typeof controlValues;

/** Returns what a partner sees after a control, for a terminal. */
export const seenAt = ({ seen }: { readonly seen: string }, gatewayId: string): string =>
  withoutMarkdown(seen.replaceAll('{gateway}', gatewayId));

/** Strips the backticks from a row's text, for a terminal. */
export const withoutMarkdown = (markdown: string): string => markdown.replaceAll('`', '');
