/** A partition of a table as DynamoDB bounds it: so many units a second, of which it saves none up beyond a tenth of one. */
export type Partition = {
  /** Takes the units if they are there; false means that the item is throttled, which takes none. */
  readonly take: (units: number, nowMs: number) => boolean;
};

/** The units that were not used come back with the model's own clock. */
export const createPartition = (unitsPerSecond: number): Partition => {
  const most = unitsPerSecond / 10;
  let left = most;
  let asOfMs = 0;
  return {
    take: (units, nowMs) => {
      left = Math.min(most, left + ((nowMs - asOfMs) * unitsPerSecond) / 1000);
      asOfMs = nowMs;
      if (left < units) return false;
      left -= units;
      return true;
    },
  };
};
