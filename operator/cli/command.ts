import * as z from 'zod';
import { companyIdPattern, idPattern } from '../../lambdas/api/schemas/common.ts';
import type { ExitCode } from '../error.ts';
import type { OperatorContext } from './context.ts';
import type { View } from './output.ts';
import type { ErasureRequirements, ReadRequirements, Requirements } from './roles.ts';

/** A positional argument. One whose schema takes `undefined` may be left out; the last one may take many values. */
type Argument = { readonly summary: string; readonly schema: z.ZodType; readonly isVariadic?: boolean };

/** Written `--kebab-case`. Without a placeholder it is a flag; one whose schema takes `undefined` may be left out. */
type Option = { readonly summary: string; readonly schema: z.ZodType; readonly placeholder?: string };

export type Arguments = Readonly<Record<string, Argument>>;
export type Options = Readonly<Record<string, Option>>;

/** Arguments and options by their names, as their schemas give them. */
export type InputOf<A extends Arguments, O extends Options> = {
  readonly [Name in keyof A]: z.output<A[Name]['schema']>;
} & { readonly [Name in keyof O]: z.output<O[Name]['schema']> };

/** One command as data: the command line, its help, its documentation and the operators' roles follow from it. */
export type Command<A extends Arguments, O extends Options, Output extends z.ZodType> = Effect & {
  /** One word, or two of which commands of the first alone come before it. */
  readonly noun: string;
  /** The last word of the name; absent from a noun with one command. */
  readonly verb?: string;
  /** A sentence without its full stop. */
  readonly summary: string;
  /** Positional arguments, in the order in which they are written. */
  readonly arguments: A;
  readonly options: O;
  /** Tells from the input that a change is only asked to look, and so needs no reason. */
  readonly changesNothing?: (input: InputOf<A, O>) => boolean;
  /** What has to be typed before something that cannot be undone. */
  readonly confirmedBy?: (input: InputOf<A, O>) => string;
  /** The schema of the JSON output. Strict: what it does not name never leaves the program. */
  readonly output: Output;
  /** Refuses by throwing an OperatorError. */
  readonly run: (context: OperatorContext, input: InputOf<A, O>) => Promise<z.input<Output>>;
  /** The same for people. */
  readonly view: (output: z.output<Output>) => View;
  /** What its exit codes mean, as far as they mean more than those of every command. */
  readonly exits?: Readonly<Partial<Record<ExitCode, string>>>;
  /** The exit code if `run` did not throw; `ok` if this is absent. */
  readonly exitCode?: (output: z.output<Output>) => ExitCode;
};

/** A change takes `--reason`, `--dry-run` and `--yes`, and is made through `makeChange`. Only a change needs to write. */
type Effect =
  | { readonly changes: false; readonly requirements: ReadRequirements; readonly role?: never }
  | { readonly changes: true; readonly requirements: Requirements; readonly role?: never }
  | { readonly changes: true; readonly requirements: ErasureRequirements; readonly role: 'privacy' };

/** A row in the list of all; its input is whatever its own schemas gave. */
export type AnyCommand = Command<Arguments, Options, z.ZodType>;

/** A row, its input and output types inferred. */
export const defineCommand = <const A extends Arguments, const O extends Options, Output extends z.ZodType>(
  command: Command<A, O, Output>,
): AnyCommand => command as unknown as AnyCommand;

/** The command's name, on the command line and in the audit log. */
export const nameOf = ({ noun, verb }: Pick<AnyCommand, 'noun' | 'verb'>): string => (verb ? `${noun} ${verb}` : noun);

/** A part of the command line that several commands have. */
export const companyId = {
  summary: 'as registered',
  schema: z.string('is missing.').regex(companyIdPattern, 'is no company id: 2 to 24 of the characters a-z 0-9.'),
};

export const idOf = (what: string) =>
  z.string('is missing.').regex(idPattern, `is no ${what} id: 1 to 64 of the characters A-Z a-z 0-9 . _ -`);

export const limitOption = (most: number, usual = 100) => ({
  summary: `at most so many, up to ${most}; ${usual} without it`,
  placeholder: 'n',
  schema: z.coerce
    .number('is no number.')
    .int('is no whole number.')
    .min(1, 'is less than 1.')
    .max(most, `is more than ${most}.`)
    .default(usual),
});

export const flag = (summary: string) => ({ summary, schema: z.boolean().default(false) });

/** Whether it may be left out. */
export const isOptional = ({ schema }: Argument | Option): boolean => schema.safeParse(undefined).success;

/** The values that its schema takes, if they can be listed. */
export const choicesOf = ({ schema }: Argument | Option): string[] | undefined => {
  let inner: unknown = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodDefault) inner = inner.unwrap();
  if (inner instanceof z.ZodEnum) return inner.options.map(String);
  return inner instanceof z.ZodLiteral ? [...inner.values].map(String) : undefined;
};

/** `<companyId>`, `[gatewayIds...]` */
export const argumentUsage = (name: string, argument: Argument): string => {
  const written = argument.isVariadic ? `${name}...` : name;
  return isOptional(argument) ? `[${written}]` : `<${written}>`;
};

/** `--key-file <file>` */
export const optionUsage = (name: string, { placeholder }: Option): string =>
  `--${kebabCase(name)}${placeholder ? ` <${placeholder}>` : ''}`;

/** All of a command line but the options of every command. */
export const usageOf = (row: AnyCommand): string =>
  [
    nameOf(row),
    ...Object.entries(row.arguments).map(([name, argument]) => argumentUsage(name, argument)),
    ...Object.entries(row.options).map(([name, option]) =>
      isOptional(option) ? `[${optionUsage(name, option)}]` : optionUsage(name, option),
    ),
  ].join(' ');

/** `keyFile` → `key-file`. */
export const kebabCase = (name: string): string => name.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase();
