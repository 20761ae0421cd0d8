import type { Choice, Choose, Order } from './order.ts';

/** Plays one order with these choices, from the same beginning each time. Throws if it breaks a guarantee. */
type Play = (choose: Choose) => Promise<Order>;

type Played = { readonly orders: number; readonly areAll: boolean };

/** Plays every order there is, depth first, as long as there is time, and returns how many those were. */
export const playEveryOrder = async (play: Play, hasTime: () => boolean): Promise<Played> => {
  let path: { taken: number; readonly of: number }[] = [];
  let orders = 0;
  do {
    let depth = 0;
    const { isWhole } = await play(({ length }) => {
      path[depth] ??= { taken: 0, of: length };
      const { taken, of } = path[depth++] as (typeof path)[number];
      if (of !== length)
        throw new Error(`A step had ${of} ways to go on and now has ${length}: an operation hangs on chance or time.`);
      return taken;
    });
    if (isWhole) orders++;
    path = path.slice(0, path.findLastIndex(({ taken, of }) => taken + 1 < of) + 1);
    const last = path.at(-1);
    if (last) last.taken++;
  } while (path.length > 0 && (orders === 0 || hasTime()));
  return { orders, areAll: path.length === 0 };
};

/** Mostly what usually happens, since a fault at every step would end all operations early. */
const usualShare = 0.8;

/** Plays so many orders at random. */
export const playRandomOrders = async (play: Play, count: number, random: () => number): Promise<Played> => {
  const pick = (choices: readonly Choice[]) => {
    const usual = choices.flatMap(({ way, isLast }, index) => (way.isDisturbance || isLast ? [] : [index]));
    const from = usual.length > 0 && random() < usualShare ? usual : [...choices.keys()];
    return from[Math.floor(random() * from.length)] as number;
  };
  for (let orders = 0; orders < count; ) if ((await play(pick)).isWhole) orders++;
  return { orders: count, areAll: false };
};
