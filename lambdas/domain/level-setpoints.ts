import { comfortLevel, type LevelSetpoint } from '../api/schemas/level-setpoints.ts';

type Values = Readonly<Record<string, unknown>>;

type WithList = { readonly levelSetpoints?: readonly LevelSetpoint[] | null };

/** Begins the name of a property that has the setpoint of one level. */
const prefix = 'levelSetpoints.';

export const isOfLevel = (name: string): boolean => name.startsWith(prefix);

/** Returns the name of the property by which a report has a desired property. */
export const reportedName = (name: string): string => (isOfLevel(name) ? 'levelSetpoints' : name);

/**
 * Returns values with the setpoint of each level as a property of its own, `levelSetpoints.reduced`, instead of the list. So are
 * setpoints of levels desired: each has its own requester, and requests of different levels do not undo each other. Bodies,
 * reports and messages have the list.
 */
export const levelsApart = (values: object): Values => {
  const { levelSetpoints, ...others }: Values & WithList = { ...values };
  return {
    ...others,
    ...Object.fromEntries((levelSetpoints ?? []).map((each) => [prefix + each.level, each.setpointCelsius])),
  };
};

/**
 * The inverse of `levelsApart`: returns values with the setpoints of levels in the list, which has those of `known` levels, too.
 * The list of the values themselves takes precedence over the known one.
 */
export const levelsTogether = (values: object, known?: WithList['levelSetpoints']): Values => {
  const entries = Object.entries(values);
  const ofLevels = entries.filter(([name]) => isOfLevel(name));
  if (ofLevels.length === 0) return { ...values };
  const others: Values & WithList = Object.fromEntries(entries.filter(([name]) => !isOfLevel(name)));
  const desired = ofLevels.map(([name, value]) => ({
    level: name.slice(prefix.length),
    setpointCelsius: Number(value),
  }));
  return { ...others, levelSetpoints: levelsInOrder([...(others.levelSetpoints ?? known ?? []), ...desired]) };
};

/**
 * Returns levels in the order of their words, without the comfort level, and each once: of several the last one counts.
 * Appliances report levels in any order.
 */
export const levelsInOrder = <Level extends Pick<LevelSetpoint, 'level'>>(levels: readonly Level[]): Level[] =>
  [...new Map(levels.map((each) => [each.level, each])).values()]
    .filter(({ level }) => level !== comfortLevel)
    .toSorted((one, other) => (one.level < other.level ? -1 : 1));
