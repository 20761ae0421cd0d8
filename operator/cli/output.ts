import type { Writable } from 'node:stream';
import { stripVTControlCharacters, styleText } from 'node:util';
import stringWidth from 'string-width';

/** Control characters, and characters that change the writing direction (Unicode's Bidi_Control). */
const steering = /[^\P{Cc}\n]|\p{Bidi_Control}/gu;

/**
 * Returns the text without characters that control a terminal. Names and reasons come from the tables, and messages from AWS:
 * such characters could overwrite or reorder what the terminal shows.
 */
const printable = (text: string): string => stripVTControlCharacters(text).replace(steering, ' ');

/**
 * Lets the program go on without output when nobody reads it any more: a reader such as `| head` has ended, or the terminal is
 * closed. `report` gets the reason of any other fault of stdout.
 */
export const ignoreClosedPipes = (report: (reason: string) => void = () => undefined): void => {
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code !== 'EPIPE' && code !== 'EIO') report(message);
  });
  // A fault of stderr cannot be reported anywhere.
  process.stderr.on('error', () => undefined);
};

/** The severity of a line, which a terminal shows in colour. */
export type Level = 'ok' | 'warning' | 'error';

const colors = { ok: 'green', warning: 'yellow', error: 'red' } as const satisfies Record<Level, string>;

type Paint = (text: string, level: Level) => string;

/** Colours each line for a terminal, unless `NO_COLOR` or the type of the terminal forbids it. Other streams get no colours. */
const painterFor =
  (stream: Writable): Paint =>
  (text, level) =>
    'isTTY' in stream && stream.isTTY
      ? text.replace(/.+/g, (line) => styleText(colors[level], line, { stream }))
      : text;

/** Writes text for a person. All text on a terminal must pass through `printable`, as here. */
export const print = (stream: Writable, text: string, level?: Level): void => {
  const shown = printable(text);
  stream.write(level ? painterFor(stream)(shown, level) : shown);
};

/** Writes a view for a person, with levels in colour. */
export const printView = (stream: Writable, view: View): void => {
  stream.write(textOfView(view, painterFor(stream)));
};

/** Writes a value as JSON, and escapes the control characters that JSON itself does not escape, for safety on a terminal. */
export const printJson = (stream: Writable, value: unknown): void => {
  const json = JSON.stringify(value, null, 2);
  const escaped = json.replace(steering, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
  stream.write(`${escaped}\n`);
};

/** A value, or a word with a level. */
export type Cell = string | number | boolean | null | undefined | { readonly word: string; readonly level: Level };

type Row = Readonly<Record<string, Cell>>;

/** Lists are shortened, since a company may have thousands of gateways. */
const shownAtMost = 5;

/** Joins the first texts of a list, and adds the number of the others. */
export const someOf = (texts: readonly string[], separator = ', '): string =>
  texts.slice(0, shownAtMost).join(separator) +
  (texts.length > shownAtMost ? ` and ${texts.length - shownAtMost} more` : '');

/** Joins the first texts of a list as the arguments of a command. */
export const firstOf = (texts: readonly string[]): string =>
  texts.slice(0, shownAtMost).join(' ') + (texts.length > shownAtMost ? ' …' : '');

/** A list as columns named by the keys of its rows, a single item as lines of name and value, or a plain text. */
export type Section = { readonly title?: string } & (
  | { readonly rows: readonly Row[]; readonly ifEmpty?: string }
  | { readonly fields: Row }
  | { readonly text: string }
);

export type View = readonly Section[];

/** Formats a view without colours. The text ends with a line break. */
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

/** Aligns by terminal columns: a Chinese character or an emoji takes two. */
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

/** Shows a bar on stderr of a terminal. Does not handle Ctrl-C, so that an interrupted run does not look complete. */
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
