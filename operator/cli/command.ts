import type * as z from 'zod';
import type { OperatorContext } from './context.ts';
import type { ExitCode } from './exit-codes.ts';
import type { View } from './view.ts';

/** A positional argument. One whose schema takes `undefined` may be left out; the last one may take many values. */
export type Argument = { readonly summary: string; readonly schema: z.ZodType; readonly isVariadic?: boolean };

/** Written `--kebab-case`. Without a placeholder it is a flag; one whose schema takes `undefined` may be left out. */
export type Option = { readonly summary: string; readonly schema: z.ZodType; readonly placeholder?: string };

export type Arguments = Readonly<Record<string, Argument>>;
export type Options = Readonly<Record<string, Option>>;

/** Arguments and options by their names, as their schemas give them. */
export type InputOf<A extends Arguments, O extends Options> = {
  readonly [Name in keyof A]: z.output<A[Name]['schema']>;
} & { readonly [Name in keyof O]: z.output<O[Name]['schema']> };

/** One command as data: the command line, its help and its documentation follow from it. */
export type Command<A extends Arguments, O extends Options, Output extends z.ZodType> = {
  readonly noun: string;
  /** None for the one command that is about the stage as a whole. */
  readonly verb?: string;
  /** Without a full stop. */
  readonly summary: string;
  /** In the order in which they are written. */
  readonly arguments: A;
  readonly options: O;
  /** A change takes `--reason`, `--dry-run` and `--yes`, and is made through `makeChange`. */
  readonly changes: boolean;
  /** Where a change is asked only to look: then it needs no reason. */
  readonly changesNothing?: (input: InputOf<A, O>) => boolean;
  /** What has to be typed before something that cannot be undone. */
  readonly confirmedBy?: (input: InputOf<A, O>) => string;
  /** Of the JSON. Strict: what it does not name never leaves the program. */
  readonly output: Output;
  /** Refuses by throwing an OperatorError. */
  readonly run: (context: OperatorContext, input: InputOf<A, O>) => Promise<z.input<Output>>;
  /** The same for people. */
  readonly view: (output: z.output<Output>) => View;
  /** What its exit codes mean, as far as they mean more than those of every command. */
  readonly exits?: Readonly<Partial<Record<ExitCode, string>>>;
  /** How the program ends where `run` did not throw; `ok` without it. */
  readonly exitCode?: (output: z.output<Output>) => ExitCode;
};

/** A row in the list of all; its input is whatever its own schemas gave. */
export type AnyCommand = Command<Arguments, Options, z.ZodType>;

/** A row, its input and output types inferred. */
export const defineCommand = <const A extends Arguments, const O extends Options, Output extends z.ZodType>(
  command: Command<A, O, Output>,
): AnyCommand => command as unknown as AnyCommand;

/** As it is written, and as it stands in the audit log. */
export const nameOf = ({ noun, verb }: Pick<AnyCommand, 'noun' | 'verb'>): string => (verb ? `${noun} ${verb}` : noun);
