/** An event bus of the stack, on which functions put events and operators attach rules. */
export type Bus = { readonly summary: string };

/** One row per bus; the stack makes it, and a function that names it may put events on it. */
export const buses = {
  notices: { summary: 'Tells operators which keys expire soon, and which webhooks were switched off' },
} as const satisfies Record<string, Bus>;

export type BusName = keyof typeof buses;

/** The source of every event that a function of the service puts on a bus. */
export const eventSource = 'partner-api';
