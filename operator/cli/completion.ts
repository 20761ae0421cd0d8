import type { Command as Program } from 'commander';

export const shells = ['bash', 'zsh', 'fish'] as const;

type Shell = (typeof shells)[number];

/** Returns the script with which a shell completes the commands, options and values of a program. */
export const completionScript = (shell: Shell, program: Program): string => {
  const tables = tablesOf(program);
  return shell === 'fish' ? fishScript(program.name(), tables) : posixScript(shell, program.name(), tables);
};

type Word = { readonly word: string; readonly summary: string };

/** The completions at a position of the command line: words, or file names. */
type Offer = readonly Word[] | 'files';

type Tables = {
  /** Commands and groups of commands, as they are written: `key`, `key issue`. */
  readonly commands: readonly string[];
  /** Options that take a value. */
  readonly valueOptions: readonly string[];
  /** The values of an option, by the option. */
  readonly values: ReadonlyMap<string, Offer>;
  /** The options of a command, by the command. */
  readonly options: ReadonlyMap<string, Offer>;
  /** The values of an argument, by the command and the number of arguments before it: `gateway import/1`. */
  readonly arguments: ReadonlyMap<string, Offer>;
};

const tablesOf = (program: Program): Tables => {
  const groups = groupsOf(program);
  const options = groups.flatMap(({ command }) => command.options);
  const takingValues = options.filter(({ required }) => required);
  return {
    commands: groups.flatMap(({ path }) => (path === '' ? [] : [path])),
    valueOptions: [...new Set(takingValues.flatMap(namesOf))],
    values: new Map(
      takingValues.flatMap((option) => {
        const offer = offerOf(option.argChoices, option.flags);
        return offer ? namesOf(option).map((name) => [name, offer] as const) : [];
      }),
    ),
    options: new Map(groups.map(({ path, command }) => [path, optionWords(command)])),
    arguments: new Map(groups.flatMap(({ path, command }) => argumentOffers(path, command))),
  };
};

type Group = { readonly path: string; readonly command: Program };

/** Returns the program itself, with an empty path, and all groups and commands below it. */
const groupsOf = (command: Program, path = ''): Group[] => [
  { path, command },
  ...command.commands.flatMap((each) => groupsOf(each as Program, `${path} ${each.name()}`.trim())),
];

const namesOf = ({ long, short }: { long?: string | undefined; short?: string | undefined }): string[] =>
  [long, short].flatMap((name) => name ?? []);

const offerOf = (choices: readonly string[] | undefined, usage: string): Offer | undefined => {
  if (choices) return choices.map((word) => ({ word, summary: '' }));
  return /\bfile\b|\bpath\b/.test(usage) ? 'files' : undefined;
};

/** Returns the options of a command and of all groups above it. */
const optionWords = (command: Program): Word[] => [
  ...command.options.map(({ long, short, description }) => ({ word: long ?? short ?? '', summary: description })),
  ...(command.parent ? optionWords(command.parent as Program) : [{ word: '--help', summary: 'show the help' }]),
];

const argumentOffers = (path: string, command: Program): (readonly [string, Offer])[] => {
  if (command.commands.length > 0)
    return [[`${path}/0`, command.commands.map((each) => ({ word: each.name(), summary: each.description() }))]];
  return command.registeredArguments.flatMap((argument, index) => {
    const offer = offerOf(argument.argChoices, argument.name());
    return offer ? [[`${path}/${index}`, offer] as const] : [];
  });
};

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The differences between bash and zsh. */
const posixShells = {
  bash: {
    start: `local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" at='' word
  local i count=0
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"`,
    words: (offer: readonly Word[]) =>
      `COMPREPLY=($(compgen -W ${quoted(offer.map(({ word }) => word).join(' '))} -- "$current"))`,
    files: `local IFS=$'\\n'; compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$current"))`,
    register: (name: string, own: string) => `complete -F ${own} ${name}`,
  },
  zsh: {
    start: `local current="\${words[CURRENT]}" previous="\${words[CURRENT-1]}" at='' word
  local -i i count=0
  local -a found
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"`,
    words: (offer: readonly Word[]) =>
      `found=(${offer.map(({ word, summary }) => quoted(summary ? `${word}:${summary}` : word)).join(' ')}); _describe -t words word found`,
    files: '_files',
    register: (name: string, own: string) => `compdef ${own} ${name}`,
  },
} as const;

const posixScript = (shell: keyof typeof posixShells, name: string, tables: Tables): string => {
  const { start, words, files, register } = posixShells[shell];
  const own = `_${name.replaceAll('-', '_')}`;
  const patterns = (texts: readonly string[]) => texts.map(quoted).join('|');
  const arms = (offers: ReadonlyMap<string, Offer>) =>
    [...offers].map(([at, offer]) => `    ${quoted(at)}) ${offer === 'files' ? files : words(offer)} ;;`).join('\n');
  return `${own}() {
  ${start}
    case "$word" in
      ${patterns(tables.valueOptions)}) ((i++)) ;;
      -*) ;;
      *)
        case "\${at:+$at }$word" in
          ${patterns(tables.commands)}) at="\${at:+$at }$word" ;;
          *) ((count++)) ;;
        esac ;;
    esac
  done
  case "$previous" in
${arms(tables.values)}
  esac
  case "$previous" in ${patterns(tables.valueOptions)}) return ;; esac
  if [[ "$current" == -* ]]; then
    case "$at" in
${arms(tables.options)}
    esac
    return
  fi
  case "$at/$count" in
${arms(tables.arguments)}
  esac
}
${register(name, own)}
`;
};

const fishScript = (name: string, tables: Tables): string => {
  const own = `__${name.replaceAll('-', '_')}`;
  const quotedInFish = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const patterns = (texts: readonly string[]) => texts.map(quotedInFish).join(' ');
  const words = (offer: readonly Word[]) =>
    `printf '%s\\t%s\\n' ${patterns(offer.flatMap(({ word, summary }) => [word, summary]))}`;
  const arms = (offers: ReadonlyMap<string, Offer>) =>
    [...offers]
      .map(
        ([at, offer]) =>
          `    case ${quotedInFish(at)}\n      ${offer === 'files' ? '__fish_complete_path "$current"' : words(offer)}`,
      )
      .join('\n');
  return `function ${own}
  set -l given (commandline -opc)
  set -l current (commandline -ct)
  set -l at
  set -l count 0
  set -l waiting
  set -e given[1]
  for word in $given
    if set -q waiting[1]
      set waiting
      continue
    end
    switch "$word"
      case ${patterns(tables.valueOptions)}
        set waiting $word
      case '-*'
      case '*'
        if contains -- (string join ' ' -- $at $word) ${patterns(tables.commands)}
          set -a at $word
        else
          set count (math $count + 1)
        end
    end
  end
  if set -q waiting[1]
    switch "$waiting"
${arms(tables.values)}
    end
    return
  end
  if string match -q -- '-*' "$current"
    switch "$at"
${arms(tables.options)}
    end
    return
  end
  switch "$at/$count"
${arms(tables.arguments)}
  end
end
complete -c ${name} -f -a '(${own})'
`;
};
