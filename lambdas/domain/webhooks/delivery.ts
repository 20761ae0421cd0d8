/** How far the pokes of a webhook are: who asks for one writes `asked` and `due`, who sends them the rest. */
export type Delivery = {
  /** Counts the reasons to poke: one that grew while a poke was under way owes another one. */
  readonly asked: number;
  /** Present as long as a poke is owed: the partition of the index that tells of it. */
  readonly due?: DuePartition;
  /** When the next attempt is due; RFC 3339, UTC, with milliseconds, so that the order of the text is that of time. */
  readonly dueAt?: string;
  /** Attempts that have failed since the last success. */
  readonly failures: number;
  readonly failedSinceMs?: number;
  readonly lastAttempt?: Attempt;
  /** Nobody else sends to it before then. */
  readonly leasedUntilMs?: number;
  readonly pokedAtMs?: number;
};

export type DuePartition = `due#${number}`;

/** What became of one request to the URL of a webhook: a status if it was answered, or else the fault that kept it from that. */
export type Attempt = {
  readonly atMs: number;
  readonly status: number | null;
  readonly fault: string | null;
  readonly durationMs: number;
};
