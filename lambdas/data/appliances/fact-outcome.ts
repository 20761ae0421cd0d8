/**
 * What became of a fact that the gateway backend tells. A stale one is older than what is stored, or tells nothing new: it is
 * done with. Of an unknown gateway or version nothing is written, and the fact may come again.
 */
export type FactOutcome = {
  readonly outcome: 'applied' | 'stale' | 'gateway-not-found' | 'version-not-found';
};
