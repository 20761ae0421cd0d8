import { UserFacingError } from 'serve-stack';
import { controlValues } from '../../lambdas/sandbox/home-controls.ts';
import type { Demo } from '../demo/demo-world.ts';
import { type ArgumentName, type ControlName, controls, placeholders, programName, usageOf } from './controls.ts';

/** A company and an owner who have a contract. */
export type Parties = { readonly companyId: string; readonly userId: string };

/** The parsed arguments of a control, by name. */
export type ArgumentsOf<Name extends ControlName> = {
  readonly [Argument in (typeof controls)[Name]['takes'][number]]: ReturnType<(typeof readers)[Argument]>;
};

/** Parses the words behind the name of a control. Throws UserFacingError that says what to write instead. */
export const readArguments = <Name extends ControlName>(
  demo: Demo,
  name: Name,
  words: readonly string[],
): ArgumentsOf<Name> => {
  const takes: readonly ArgumentName[] = controls[name].takes;
  const isMissing = (argument: ArgumentName, index: number) =>
    placeholders[argument].startsWith('<') && words[index] === undefined;
  if (words.length > takes.length || takes.some(isMissing))
    throw new UserFacingError(`Write it like this: ${programName} ${usageOf(name)}`);
  return Object.fromEntries(
    takes.map((argument, index) => [argument, readers[argument](words[index], demo)]),
  ) as ArgumentsOf<Name>;
};

/** Returns each gateway of the demo world with its owner and company. */
const homesIn = ({ companies }: Demo): (Parties & { readonly gatewayId: string })[] =>
  companies.flatMap((company) =>
    ownersOf(company).flatMap(({ userId, gateways }) =>
      gateways.map(({ gatewayId }) => ({ companyId: company.companyId, userId, gatewayId })),
    ),
  );

const ownersOf = (company: Demo['companies'][number]) => ('owners' in company ? company.owners : [company]);

const readGateway = (word: string | undefined, demo: Demo) => {
  const homes = homesIn(demo);
  const home = homes.find(({ gatewayId }) => gatewayId === word);
  if (home) return home;
  const lists = demo.companies.map(({ companyId }) => {
    const ids = homes.filter((each) => each.companyId === companyId).map(({ gatewayId }) => gatewayId);
    return `${shortened(ids)} of ${companyId}`;
  });
  throw new UserFacingError(`The demo world has no gateway ${word}. It has ${lists.join(', ')}.`);
};

const maxListed = 5;

const shortened = (ids: readonly string[]): string =>
  ids.length <= maxListed ? ids.join(', ') : `${ids.slice(0, 3).join(', ')} … ${ids.at(-1)}`;

const readOwner = (word: string | undefined, { companies }: Demo): Parties => {
  const all = companies.flatMap((company) =>
    ownersOf(company).map(({ userId }) => ({ companyId: company.companyId, userId })),
  );
  const owner = word === undefined ? all[0] : all.find(({ userId }) => userId === word);
  if (owner) return owner;
  throw new UserFacingError(
    `The demo world has no owner ${word}. It has ${shortened(all.map(({ userId }) => userId))}; demo.json lists them all.`,
  );
};

const readCompany = (word: string | undefined, { companies }: Demo): Demo['companies'][number] => {
  const company = word === undefined ? companies[0] : companies.find(({ companyId }) => companyId === word);
  if (company) return company;
  throw new UserFacingError(
    `The demo world has no company ${word}. It has ${companies.map(({ companyId }) => companyId).join(', ')}.`,
  );
};

const readValue =
  <Value>({ read, expected }: { readonly read: (word?: string) => Value | undefined; readonly expected: string }) =>
  (word: string | undefined): Value => {
    const value = read(word);
    if (value !== undefined) return value;
    throw new UserFacingError(`${word} ${expected}`);
  };

const unitsMs = { d: 86_400_000, h: 3_600_000, m: 60_000 };

/** Returns milliseconds. */
const readDuration = (word: string = ''): number => {
  const [, count, unit] = /^(\d{1,3})([dhm])$/.exec(word) ?? [];
  if (count !== undefined) return Number(count) * unitsMs[unit as keyof typeof unitsMs];
  throw new UserFacingError(`${word} is not a duration; write days, hours or minutes, such as 13d, 2h or 30m.`);
};

const readStatus = (word: string = '503'): number => {
  if (/^[3-5]\d\d$/.test(word)) return Number(word);
  throw new UserFacingError(`${word} is not a failure status; write one from 300 to 599.`);
};

const readers = {
  gateway: readGateway,
  owner: readOwner,
  company: readCompany,
  function: readValue(controlValues.function),
  code: readValue(controlValues.code),
  celsius: readValue(controlValues.celsius),
  duration: readDuration,
  status: readStatus,
} satisfies { readonly [Argument in ArgumentName]: (word: string | undefined, demo: Demo) => unknown };
