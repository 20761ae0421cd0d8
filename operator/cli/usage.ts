import { type AnyCommand, type Argument, nameOf, type Option } from './command.ts';

/** Whether it may be left out. */
export const isOptional = ({ schema }: Argument | Option): boolean => schema.safeParse(undefined).success;

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
