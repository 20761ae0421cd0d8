import { answers } from './answers.ts';
import { circuits } from './circuits.ts';
import { events } from './events.ts';
import { operations } from './operations.ts';
import { pages } from './pages.ts';
import { requests } from './requests.ts';
import { rotation } from './rotation.ts';
import type { Scenarios } from './scenario.ts';
import { waiting } from './waiting.ts';
import { webhooks } from './webhooks.ts';

/** All scenarios, by subject. */
export const subjects: Readonly<Record<string, Scenarios>> = {
  requests,
  operations,
  answers,
  waiting,
  events,
  pages,
  circuits,
  webhooks,
  rotation,
};
