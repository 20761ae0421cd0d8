import { readdirSync, readFileSync } from 'node:fs';
import { tableOf } from '../../../partner/site/markdown.ts';

const folder = new URL('../../decisions/', import.meta.url);

type Decision = {
  readonly file: string;
  readonly number: string;
  readonly title: string;
  readonly date: string;
  readonly status: string;
};

const form =
  /^# (?<number>\d+)\. (?<title>.+)\n\n(?<date>\d{4}-\d\d-\d\d) · (?<status>accepted|superseded by \[\d+\]\(\S+\))\n/;

/** All decisions, from their files. */
export const readDecisions = (): Decision[] =>
  readdirSync(folder)
    .filter((file) => /^\d/.test(file))
    .sort()
    .map((file) => {
      const { number, title, date, status } = form.exec(readFileSync(new URL(file, folder), 'utf8'))?.groups ?? {};
      if (!number || !title || !date || !status || !file.startsWith(number.padStart(4, '0')))
        throw new Error(
          `docs/decisions/${file} has to begin with "# <the number of the file>. <title>", an empty line, and "<date> · accepted" or "<date> · superseded by [N](<file>)".`,
        );
      return { file, number, title, date, status };
    });

/** The index of the decisions. */
export const decisionIndex = (): string =>
  tableOf(
    ['number', 'decision', 'date', 'status'],
    readDecisions().map(({ file, number, title, date, status }) => [number, `[${title}](${file})`, date, status]),
  );
