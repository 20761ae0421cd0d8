import type { RatePolicy } from '../../lambdas/api/limits.ts';

/**
 * The token bucket of rule 16 of docs/rules.md, written to be obviously right rather than small: it counts tokens as
 * milliseconds of credit, refills them at every request, and takes one interval for each admitted request.
 */
export class ReferenceBucket {
  readonly #limit: RatePolicy;
  #creditMs: number;
  #lastMs: number | undefined;

  constructor(limit: RatePolicy) {
    this.#limit = limit;
    this.#creditMs = limit.burst * limit.refillIntervalMs;
  }

  /** Returns 0 if the request is admitted, else the milliseconds to wait. Time never goes back. */
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
