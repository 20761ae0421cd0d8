/** `14:05`, in UTC. */
export const toTime = (atMs: number): string => new Date(atMs).toISOString().slice(11, 16);

/** `2026-11-20 14:05`, in UTC. */
export const toDateAndTime = (atMs: number): string => new Date(atMs).toISOString().slice(0, 16).replace('T', ' ');

const plain = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const compact = new Intl.NumberFormat('en', { maximumSignificantDigits: 3, notation: 'compact' });

/** Three digits are what a glance takes in: `0.125`, `42`, `12.3K`; no value is a dash. */
export const toShortNumber = (value: number | undefined): string => {
  if (value === undefined) return '–';
  return (Math.abs(value) < 10_000 ? plain : compact).format(value);
};
