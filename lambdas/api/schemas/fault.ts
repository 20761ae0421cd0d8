import * as z from 'zod/mini';
import { text, timestamp } from './common.ts';

/** The severities that this version knows. */
export const faultSeverities = ['fault', 'warning', 'maintenance'] as const;

/** A fault of an appliance, or maintenance that is due. */
export const fault = () =>
  z.looseObject({
    code: text(),
    componentId: z.nullable(text()),
    /** No list of the known ones: a client that reads it strictly would fail at the next. */
    severity: text(),
    text: z.nullable(text()),
    since: timestamp(),
  });

export const faultDescriptions = () => ({
  code: 'The code of the fault, such as `F.28`, as shown by the appliance and its manual.',
  componentId: 'The component that has the fault, by its id in `components` of the gateway.',
  severity:
    'The severity: `fault`, a function is lost; `warning`, the appliance works with a restriction; `maintenance`, a service is due. An appliance may report others: treat severities that you do not know as `fault`.',
  text: 'A description for people, in the language of the appliance.',
  since: 'When the fault began, UTC.',
});
