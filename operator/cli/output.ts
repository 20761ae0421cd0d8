import type { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';

/** Control characters, and those that turn the direction of writing (Unicode's Bidi_Control). */
const steering = /[^\P{Cc}\n]|\p{Bidi_Control}/gu;

/**
 * The text without what steers a terminal. Names and reasons come from the tables, and messages from AWS: they could else
 * rewrite what the terminal shows, or show it in another order.
 */
export const printable = (text: string): string => stripVTControlCharacters(text).replace(steering, ' ');

/** Writes text for a person; nothing else of the program may write to a terminal. */
export const print = (stream: Writable, text: string): void => {
  stream.write(printable(text));
};

/** Writes a value as JSON that is safe on a terminal and means the same: JSON itself escapes only some of the characters. */
export const printJson = (stream: Writable, value: unknown): void => {
  const json = JSON.stringify(value, null, 2);
  const escaped = json.replace(steering, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
  stream.write(`${escaped}\n`);
};

export type Cell = string | number | boolean | null | undefined;

type Row = Readonly<Record<string, Cell>>;

/** A company may have thousands. */
const shownAtMost = 5;

/** The first of a list, and how many more there are. */
export const someOf = (texts: readonly string[], separator = ', '): string =>
  texts.slice(0, shownAtMost).join(separator) +
  (texts.length > shownAtMost ? ` and ${texts.length - shownAtMost} more` : '');

/** The first of a list, as a command names them. */
export const firstOf = (texts: readonly string[]): string =>
  texts.slice(0, shownAtMost).join(' ') + (texts.length > shownAtMost ? ' …' : '');

/** A list as columns named by the keys of its rows, one thing as lines of name and value, or a text as it is. */
export type Section = { readonly title?: string } & (
  | { readonly rows: readonly Row[]; readonly ifEmpty?: string }
  | { readonly fields: Row }
  | { readonly text: string }
);

export type View = readonly Section[];

/** Renders a view for a terminal; the text ends with a line break. */
export const formatView = (view: View): string =>
  `${view.map((section) => [...(section.title ? [section.title] : []), bodyOf(section)].join('\n')).join('\n\n')}\n`;

const bodyOf = (section: Section): string => {
  if ('text' in section) return section.text;
  if ('fields' in section)
    return alignColumns(Object.entries(section.fields).map(([name, cell]) => [name, textOf(cell)]));
  const names = [...new Set(section.rows.flatMap((row) => Object.keys(row)))];
  if (section.rows.length === 0) return section.ifEmpty ?? 'none';
  return alignColumns([
    names.map((name) => name.toUpperCase()),
    ...section.rows.map((row) => names.map((name) => textOf(row[name]))),
  ]);
};

const textOf = (cell: Cell): string =>
  cell === null || cell === undefined ? '-' : printable(String(cell)).replaceAll('\n', ' ');

const alignColumns = (lines: readonly (readonly string[])[]): string => {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};

const widthCharacters = 30;

type Terminal = { readonly stderr: Writable; readonly isTerminal: boolean };

/** A bar on a terminal's stderr; nothing elsewhere. It leaves Ctrl-C alone: what breaks off a run is not to look like its end. */
export const createProgressBar = ({ stderr, isTerminal }: Terminal) => {
  let shown = '';
  return {
    /** `fraction` from 0 to 1. */
    show: (fraction: number, text: string) => {
      const filled = Math.round(Math.min(1, fraction) * widthCharacters);
      const line = `[${'#'.repeat(filled).padEnd(widthCharacters, '.')}] ${printable(text)}`;
      if (!isTerminal || line === shown) return;
      shown = line;
      stderr.write(`\r${line}\u001b[K`);
    },
    end: () => {
      if (shown) stderr.write('\n');
    },
  };
};
