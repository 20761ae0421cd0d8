import { readFileSync } from 'node:fs';
import { withoutMarks } from './markdown.ts';

/** The files of partner/guide by menu group, in the order in which a new partner needs them. */
export const chapterGroups = {
  'Get started': ['first-call', 'authentication', 'consent', 'owners'],
  Homes: ['changes', 'overrides', 'measurements', 'energy'],
  Requests: ['pagination', 'idempotency', 'rate-limits'],
  Events: ['events', 'webhooks'],
  'Keys and security': ['api-keys', 'security', 'portal'],
  'Develop and test': ['errors', 'demo-world', 'client'],
  'Go live': ['checklist', 'monitoring', 'versions'],
} as const;

export type Chapter = { readonly name: string; readonly title: string; readonly markdown: string };

export const readChapters = (): Chapter[] =>
  Object.values(chapterGroups)
    .flat()
    .map((name) => {
      const markdown = withoutMarks(readFileSync(new URL(`../guide/${name}.md`, import.meta.url), 'utf8'));
      return { name, title: /^# (.+)$/m.exec(markdown)?.[1] ?? name, markdown };
    });

/** The programs of the guide, which are shown in chapters and also published as files. */
export const programNames = ['rotate-key.ts', 'receiver.ts', 'receiver.py', 'portal-server.ts'] as const;

export const programText = (name: (typeof programNames)[number]): string =>
  readFileSync(new URL(`../guide/${name}`, import.meta.url), 'utf8');
