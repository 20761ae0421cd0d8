import { readdirSync, readFileSync } from 'node:fs';
import { deployCommandOfTrial, trialCommand } from '../../config/trial.ts';
import { noticeDays } from '../../lambdas/api/limits.ts';
import { tableOf } from '../../partner/site/markdown.ts';
import { chainDiagram, tableDiagram } from './diagrams.ts';
import { alarmRows, exampleTemplate } from './example-template.ts';
import { guidePassages } from './guide.ts';
import { integrationPassages } from './integrations.ts';
import type { Passages } from './marked-passages.ts';
import { personalDataPassages } from './personal-data.ts';
import { runbookPassages } from './runbooks.ts';

/** The passages that Markdown files contain, by the name in `<!-- generated: name -->`. */
export const allPassages = (): Passages => ({
  ...guidePassages,
  'notice-days': noticeDayList,
  'request-chain': chainDiagram,
  tables: tableDiagram,
  decisions: decisionIndex,
  'trial-commands': trialCommands,
  ...integrationPassages,
  ...runbookPassages(alarmRows()),
  ...personalDataPassages(exampleTemplate()),
});

const folder = new URL('../decisions/', import.meta.url);

type Decision = {
  readonly file: string;
  readonly number: string;
  readonly title: string;
  readonly date: string;
};

const form = /^# (?<number>\d+)\. (?<title>.+)\n\n(?<date>\d{4}-\d\d-\d\d)\n/;

/** All decisions, from their files. */
const readDecisions = (): Decision[] =>
  readdirSync(folder)
    .filter((file) => /^\d/.test(file))
    .sort()
    .map((file) => {
      const { number, title, date } = form.exec(readFileSync(new URL(file, folder), 'utf8'))?.groups ?? {};
      if (!number || !title || !date || !file.startsWith(number.padStart(4, '0')))
        throw new Error(
          `docs/decisions/${file} must begin with "# <the number of the file>. <title>", an empty line, and the date.`,
        );
      return { file, number, title, date };
    });

/** The index of the decisions. */
const decisionIndex = (): string =>
  tableOf(
    ['number', 'decision', 'date'],
    readDecisions().map(({ file, number, title, date }) => [number, `[${title}](${file})`, date]),
  );

/** The days before its expiry on which a key is announced: `60, 30, 14, 7, 3 and 1`. */
const noticeDayList = (): string =>
  new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(noticeDays.map(String));

/** The command lines of a trial, from a checkout to nothing left. Nothing but commands: in zsh, a comment is an argument. */
const trialCommands = (): string =>
  [
    '```sh',
    'npm ci',
    'npx cdk bootstrap --context stage=trial',
    deployCommandOfTrial('trial'),
    "npm run operator -- company onboard demo --stage trial --reason 'trial'",
    'curl --header "x-api-key: $(cat demo.trial.key)" --header "x-user-id: sim-owner-demo-1" https://…/v1/hvacs',
    trialCommand('destroy', 'trial'),
    '```',
    '',
    'An account needs `cdk bootstrap` once in a region. `company onboard` prints the `curl`, filled in. `cdk destroy` ends the trial.',
  ].join('\n');
