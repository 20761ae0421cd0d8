/**
 * The chance that no partition gets more than `most` of the copies if each falls into any of the partitions alike, as the
 * hash of a key does: copies! times the coefficient of x^copies in (sum of x^k/k! for k up to most)^partitions, over all
 * partitions^copies ways.
 */
export const chanceOfAtMost = (most: number, copies: number, partitions: number): number => {
  let chances = [1, ...Array<number>(copies).fill(0)];
  for (let placed = 0; placed < partitions; placed++)
    chances = chances.map((_, total) => {
      let sum = 0;
      for (let here = 0; here <= Math.min(most, total); here++)
        sum += (chances[total - here] ?? 0) / factorial(here) / partitions ** here;
      return sum;
    });
  return (chances[copies] ?? 0) * factorial(copies);
};

const factorial = (number: number): number => (number < 2 ? 1 : number * factorial(number - 1));
