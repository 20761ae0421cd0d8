import { resolve } from 'node:path';
import { inspect, type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { UserFacingError } from 'serve-stack';
import { jobNames } from '../lambdas/api/background-functions.ts';
import { operationIds } from '../lambdas/api/endpoints/endpoints.ts';
import { optionTakenByNpm } from '../operator/cli/npm-options.ts';
import { print as printTo } from '../operator/cli/output.ts';
import type { LocalServiceOptions } from './service.ts';

const options = {
  port: { type: 'string', default: '8443' },
  'all-addresses': { type: 'boolean', default: false },
  directory: { type: 'string', default: '.local' },
  keep: { type: 'boolean', default: false },
  empty: { type: 'boolean', default: false },
  'without-fleet': { type: 'boolean', default: false },
  'without-backend': { type: 'boolean', default: false },
  'forward-webhooks': { type: 'string' },
  replay: { type: 'string' },
  'dynamodb-endpoint': { type: 'string' },
  'no-download': { type: 'boolean', default: false },
  watch: { type: 'boolean', default: false },
  inspect: { type: 'string' },
} as const;

/** The value and the effect of each option, in the order of the help. */
const optionDocs: Readonly<Record<keyof typeof options | 'help', { readonly takes?: string; readonly does: string }>> =
  {
    port: { takes: 'number', does: 'the port of the API and of the guide, 8443 by default; 0 for any free one' },
    'all-addresses': { does: 'lets other machines call, too: needed inside a container that publishes the port' },
    directory: {
      takes: 'path',
      does: 'the folder for all that the run writes, .local by default; it has one run at a time',
    },
    keep: { does: 'keeps the data of the last run' },
    empty: { does: 'starts without any company' },
    'without-fleet': { does: 'leaves out the company fleet with its homes: the start takes half the time' },
    'without-backend': { does: 'simulates no gateway backend: requested changes wait in their queue' },
    'forward-webhooks': { takes: 'url', does: 'forwards webhook messages to a receiver of your own' },
    replay: { takes: 'webhook-id', does: 'with --forward-webhooks: sends one of the messages again, and ends' },
    'dynamodb-endpoint': { takes: 'url', does: 'uses a DynamoDB Local that already runs' },
    'no-download': { does: 'fetches no Java: the start is refused if there is none' },
    watch: { does: 'swaps stack and functions if a source changes, and keeps port and data' },
    inspect: { takes: 'operation id', does: 'lets a debugger stop in the TypeScript of that handler' },
    help: { does: 'prints this' },
  };

const usages = Object.entries(optionDocs).map(([name, { takes }]) => `--${name}${takes ? ` <${takes}>` : ''}`);
const usage = `Options: ${usages.slice(0, -1).join(', ')} and ${usages.at(-1)}.`;

/** What `npm start -- --help` prints. */
export const help = (): string => {
  const width = Math.max(...usages.map(({ length }) => length));
  const lines = Object.values(optionDocs).map(({ does }, index) => `  ${usages[index]?.padEnd(width)}  ${does}`);
  return [
    'Usage: npm start -- [options]',
    '',
    'Serves the synthesized stack with the demo world on this machine, until Ctrl-C.',
    '',
    ...lines,
    '',
    'The commands of operators are another program: npm run operator -- --help',
  ].join('\n');
};

export type Options = {
  readonly service: Omit<LocalServiceOptions, 'print'>;
  readonly isWatched: boolean;
  /** Sends a webhook message of another run to the user's own receiver, and serves nothing. */
  readonly replay?: { readonly directory: string; readonly id: string; readonly url: string };
};

/** Ignores all other arguments, even invalid ones: a user who needs help may not know the right ones. */
export const isHelpWanted = (args: readonly string[]): boolean => args.includes('--help') || args.includes('-h');

/** Parses the arguments of `npm start`. Throws UserFacingError that says what to write instead. */
export const readOptions = (args: readonly string[]): Options => {
  const {
    port,
    'all-addresses': isOnAllAddresses,
    directory,
    keep,
    empty,
    watch,
    inspect,
    'without-fleet': isWithoutFleet,
    'without-backend': isWithoutBackend,
    'forward-webhooks': forwardWebhooksTo,
    replay,
    'dynamodb-endpoint': dynamoDbEndpoint,
    'no-download': isNothingFetched,
  } = parseOptions(args, options, usage);
  if (dynamoDbEndpoint !== undefined && !/^http:\/\/[^/]+\/?$/.test(dynamoDbEndpoint))
    throw new UserFacingError(
      `--dynamodb-endpoint ${dynamoDbEndpoint} is invalid; write a URL like http://localhost:8000.`,
    );
  if (keep && empty) throw new UserFacingError('--empty and --keep exclude each other: kept data is not empty.');
  if (forwardWebhooksTo !== undefined && !/^https?:$/.test(URL.parse(forwardWebhooksTo)?.protocol ?? ''))
    throw new UserFacingError(
      `--forward-webhooks ${forwardWebhooksTo} is not a URL; write one like http://localhost:9911/hook.`,
    );
  if (replay !== undefined && forwardWebhooksTo === undefined)
    throw new UserFacingError(
      '--replay names the webhook message to send; add --forward-webhooks <url>, the receiver.',
    );
  const inspectable: readonly string[] = [...operationIds, ...jobNames];
  if (inspect !== undefined && !inspectable.includes(inspect))
    throw new UserFacingError(
      `--inspect ${inspect} is not an operation; the operations and jobs are ${inspectable.join(', ')}.`,
    );
  return {
    // Relative paths start at the project's root, where npm runs its scripts.
    service: {
      port: portOf(port),
      isOnAllAddresses,
      directory: resolve(directory),
      keepData: keep,
      isEmpty: empty,
      isWithoutFleet,
      isWithoutBackend,
      forwardWebhooksTo,
      dynamoDbEndpoint,
      ...(isNothingFetched && { javaSource: 'none' }),
      inspect,
    },
    isWatched: watch,
    ...(replay !== undefined &&
      forwardWebhooksTo && { replay: { directory: resolve(directory), id: replay, url: forwardWebhooksTo } }),
  };
};

/** Parses the options of a program. Throws UserFacingError with `usage` if one is unknown. */
export const parseOptions = <const Declared extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Declared,
  usage: string,
) => {
  const taken = optionTakenByNpm(Object.keys(options), args);
  if (taken) throw new UserFacingError(taken);
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new UserFacingError(`${(error as Error).message.split('. ')[0]}. ${usage}`);
  }
};

export const portOf = (text: string): number => {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new UserFacingError(`--port ${text} is not a port; write a number from 0 (any free one) to 65535.`);
};

/** Prints a line for a person. Its content may be foreign, so control characters are neutralized. */
export const print = (line: string): void => printTo(process.stdout, `${line}\n`);

/** Prints why the program ends: a sentence as it is, any other fault with its stack. */
export const printFault = (fault: unknown): void =>
  printTo(process.stderr, `${typeof fault === 'string' ? fault : (fullDiskSentence(fault) ?? inspect(fault))}\n`);

const fullDiskSentence = (fault: unknown): string | undefined => {
  const { code = '', path = 'a file' } = (fault ?? {}) as NodeJS.ErrnoException;
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return undefined;
  return `The disk is full: ${path} could not be written. Make room, or choose a folder on another disk by --directory.`;
};

type Terminal = { readonly isTTY?: boolean; readonly write: (text: string) => unknown };

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const frameMs = 100;

const signOfLifeMs = 15_000;

/** Prints the steps of a long task, one line each, and a line every 15 s of a step. */
const createPlainProgress = () => {
  let timer: NodeJS.Timeout | undefined;
  const end = (): void => clearInterval(timer);
  const announce = (step: string): void => {
    end();
    print(step);
    let seconds = 0;
    timer = setInterval(() => {
      seconds += signOfLifeMs / 1000;
      print(`${step}: ${seconds} s so far`);
    }, signOfLifeMs).unref();
  };
  return { announce, end };
};

/** Prints the steps of a long task, one line each. On a terminal, a spinner marks the current step. */
export const createProgress = (terminal: Terminal = process.stdout) => {
  if (!terminal.isTTY) return createPlainProgress();
  let line: string | undefined;
  let turns = 0;
  const draw = (mark: string) => terminal.write(`\r${mark} ${line}`);
  const turn = () => line !== undefined && draw(frames[turns++ % frames.length] ?? '');
  const timer = setInterval(turn, frameMs).unref();
  const finish = (mark: string) => {
    if (line === undefined) return;
    draw(mark);
    terminal.write('\n');
    line = undefined;
  };
  return {
    announce: (next: string): void => {
      finish('✓');
      line = next;
      turn();
    },
    /** Must be called before anything else is printed. */
    end: ({ isDone }: { readonly isDone: boolean }): void => {
      clearInterval(timer);
      finish(isDone ? '✓' : '✗');
    },
  };
};

/** Extracts the location and the message of the first error from a tool's output, which may have many lines. */
export const inOneLine = (error: unknown): string => {
  const text = error instanceof Error ? error.message : String(error);
  const [, message] = /(?:\[ERROR\]|\w*Error(?: \[\w+\])?:)\s*(.+)/.exec(text) ?? [];
  if (message === undefined) return text.trim().split('\n').at(-1) ?? '';
  const [, place] = /(?:file:\/\/)?([\w./-]+\.(?:ts|json):\d+(?::\d+)?)/.exec(text) ?? [];
  return [place, message].filter((part) => part !== undefined).join(': ');
};
