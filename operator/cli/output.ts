import type { Writable } from 'node:stream';
import { stripVTControlCharacters, styleText } from 'node:util';
import stringWidth from 'string-width';

/** Control characters, and those that turn the direction of writing (Unicode's Bidi_Control). */
const steering = /[^\P{Cc}\n]|\p{Bidi_Control}/gu;

/**
 * The text without what steers a terminal. Names and reasons come from the tables, and messages from AWS: they could else
 * rewrite what the terminal shows, or show it in another order.
 */
export const printable = (text: string): string => stripVTControlCharacters(text).replace(steering, ' ');

/** How grave a line is; a terminal shows it in colour. */
export type Level = 'ok' | 'warning' | 'error';

const colors = { ok: 'green', warning: 'yellow', error: 'red' } as const satisfies Record<Level, string>;

type Paint = (text: string, level: Level) => string;

/** Colours each line for a terminal, unless `NO_COLOR` or the kind of the terminal forbids it; nothing anywhere else. */
const painterFor =
  (stream: Writable): Paint =>
  (text, level) =>
    'isTTY' in stream && stream.isTTY
      ? text.replace(/.+/g, (line) => styleText(colors[level], line, { stream }))
      : text;

/** Writes text for a person; nothing else of the program may write to a terminal. */
export const print = (stream: Writable, text: string, level?: Level): void => {
  const shown = printable(text);
  stream.write(level ? painterFor(stream)(shown, level) : shown);
};

/** Writes a view for a person, its levels in colour. */
export const printView = (stream: Writable, view: View): void => {
  stream.write(textOfView(view, painterFor(stream)));
};

/** Writes a value as JSON that is safe on a terminal and means the same: JSON itself escapes only some of the characters. */
export const printJson = (stream: Writable, value: unknown): void => {
  const json = JSON.stringify(value, null, 2);
  const escaped = json.replace(steering, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
  stream.write(`${escaped}\n`);
};

/** A value, or a word with its level. */
export type Cell = string | number | boolean | null | undefined | { readonly word: string; readonly level: Level };

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

/** A view without colours; the text ends with a line break. */
export const formatView = (view: View): string => textOfView(view, (text) => text);

const textOfView = (view: View, paint: Paint): string =>
  `${view.map((section) => [...(section.title ? [printable(section.title)] : []), bodyOf(section, paint)].join('\n')).join('\n\n')}\n`;

const bodyOf = (section: Section, paint: Paint): string => {
  if ('text' in section) return printable(section.text);
  if ('fields' in section) return alignColumns(Object.entries(section.fields), paint);
  const names = [...new Set(section.rows.flatMap((row) => Object.keys(row)))];
  if (section.rows.length === 0) return section.ifEmpty ?? 'none';
  return alignColumns(
    [names.map((name) => name.toUpperCase()), ...section.rows.map((row) => names.map((name) => row[name]))],
    paint,
  );
};

const textOf = (cell: Cell): string => {
  if (cell === null || cell === undefined) return '-';
  return printable(typeof cell === 'object' ? cell.word : String(cell)).replaceAll('\n', ' ');
};

/** Aligned by the columns of a terminal: a Chinese character or an emoji takes two. */
const alignColumns = (lines: readonly (readonly Cell[])[], paint: Paint): string => {
  const widthOf = (cell: Cell) => stringWidth(textOf(cell));
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => widthOf(line[column]))));
  return lines
    .map((line) =>
      line
        .map((cell, column) => painted(cell, paint) + ' '.repeat((widths[column] ?? 0) - widthOf(cell)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};

const painted = (cell: Cell, paint: Paint): string =>
  typeof cell === 'object' && cell !== null ? paint(textOf(cell), cell.level) : textOf(cell);

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
