import * as z from 'zod';
import { companyIdPattern, idPattern } from '../../lambdas/api/schemas/common.ts';
import type { ExitCode } from '../error.ts';
import type { OperatorContext } from './context.ts';
import type { View } from './output.ts';
import type { ErasureRequirements, ReadRequirements, Requirements } from './roles.ts';

/** A positional argument. It is optional if its schema accepts `undefined`; the last one may take several values. */
type Argument = { readonly summary: string; readonly schema: z.ZodType; readonly isVariadic?: boolean };

/** An option, written `--kebab-case`. Without a placeholder it is a flag. It is optional if its schema accepts `undefined`. */
type Option = { readonly summary: string; readonly schema: z.ZodType; readonly placeholder?: string };

export type Arguments = Readonly<Record<string, Argument>>;
export type Options = Readonly<Record<string, Option>>;

/** The parsed arguments and options by name. */
export type InputOf<A extends Arguments, O extends Options> = {
  readonly [Name in keyof A]: z.output<A[Name]['schema']>;
} & { readonly [Name in keyof O]: z.output<O[Name]['schema']> };

/** One command as data. The command line, its help, its documentation and the operators' roles are derived from it. */
export type Command<A extends Arguments, O extends Options, Output extends z.ZodType> = Effect & {
  /** One word, or two words; then commands whose noun is the first word alone must come before it. */
  readonly noun: string;
  /** The last word of the name; absent if the noun has only one command. */
  readonly verb?: string;
  /** A sentence without its full stop. */
  readonly summary: string;
  /** Positional arguments in their order on the command line. */
  readonly arguments: A;
  readonly options: O;
  /** Whether the command changes nothing for this input, and therefore needs no reason. */
  readonly changesNothing?: (input: InputOf<A, O>) => boolean;
  /** The name that the operator must type to confirm an irreversible change. */
  readonly confirmedBy?: (input: InputOf<A, O>) => string;
  /** The schema of the JSON output. It is strict: a value that it does not list is never printed. */
  readonly output: Output;
  /** Throws an OperatorError to refuse. */
  readonly run: (context: OperatorContext, input: InputOf<A, O>) => Promise<z.input<Output>>;
  /** Returns the output as a view for people. */
  readonly view: (output: z.output<Output>) => View;
  /** The meanings of exit codes that differ from the general ones. */
  readonly exits?: Readonly<Partial<Record<ExitCode, string>>>;
  /** The exit code if `run` did not throw; `ok` if this is absent. */
  readonly exitCode?: (output: z.output<Output>) => ExitCode;
};

/**
 * A change takes `--reason`, `--dry-run` and `--yes`, and calls `makeChange`. Only a change may require write actions. The
 * company sees changes of its configuration (`shownToCompany`), and none that act on homes, on behalf of owners or on data of
 * the service.
 */
type Effect =
  | {
      readonly changes: false;
      readonly shownToCompany?: never;
      readonly requirements: ReadRequirements;
      readonly role?: never;
    }
  | {
      readonly changes: true;
      readonly shownToCompany: boolean;
      readonly requirements: Requirements;
      readonly role?: never;
    }
  | {
      readonly changes: true;
      readonly shownToCompany: false;
      readonly requirements: ErasureRequirements;
      readonly role: 'privacy';
    };

/** A command in the list of all commands. Its input is what its own schemas return. */
export type AnyCommand = Command<Arguments, Options, z.ZodType>;

/** Returns the command, with inferred types of input and output. */
export const defineCommand = <const A extends Arguments, const O extends Options, Output extends z.ZodType>(
  command: Command<A, O, Output>,
): AnyCommand => command as unknown as AnyCommand;

/** Returns the command's name on the command line and in the audit log. */
export const nameOf = ({ noun, verb }: Pick<AnyCommand, 'noun' | 'verb'>): string => (verb ? `${noun} ${verb}` : noun);

/** The argument that names a company. */
export const companyId = {
  summary: 'as registered',
  schema: z.string('is missing.').regex(companyIdPattern, 'is not a company id: 2 to 24 of the characters a-z 0-9.'),
};

export const idOf = (what: string) =>
  z.string('is missing.').regex(idPattern, `is not a ${what} id: 1 to 64 of the characters A-Z a-z 0-9 . _ -`);

export const limitOption = (most: number, usual = 100) => ({
  summary: `the maximum number, up to ${most}; default: ${usual}`,
  placeholder: 'n',
  schema: z.coerce
    .number('is not a number.')
    .int('is not a whole number.')
    .min(1, 'is less than 1.')
    .max(most, `is more than ${most}.`)
    .default(usual),
});

export const flag = (summary: string) => ({ summary, schema: z.boolean().default(false) });

export const isOptional = ({ schema }: Argument | Option): boolean => schema.safeParse(undefined).success;

/** Returns the values that the schema accepts, if they can be listed. */
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

/** Returns the usage of a command without the options that all commands share. */
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
