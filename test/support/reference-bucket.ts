import type { RatePolicy } from '../../lambdas/api/limits.ts';

/**
 * A token bucket as rule 16 of docs/rules.md has it, written to be obviously right rather than small: tokens counted in
 * milliseconds of credit, filled up at every look, one interval taken for each request that finds one.
 */
export class ReferenceBucket {
  readonly #limit: RatePolicy;
  #creditMs: number;
  #lastMs: number | undefined;

  constructor(limit: RatePolicy) {
    this.#limit = limit;
    this.#creditMs = limit.burst * limit.refillIntervalMs;
  }

  /** Zero where the request was admitted, else how long it has to wait. Time never goes back. */
  take(nowMs: number): number {
    const { burst, refillIntervalMs } = this.#limit;
    this.#creditMs = Math.min(burst * refillIntervalMs, this.#creditMs + nowMs - (this.#lastMs ?? nowMs));
    this.#lastMs = nowMs;
    if (this.#creditMs < refillIntervalMs) return refillIntervalMs - this.#creditMs;
    this.#creditMs -= refillIntervalMs;
    return 0;
  }

  get remaining(): number {
    return Math.floor(this.#creditMs / this.#limit.refillIntervalMs);
  }
}
