import type { Header } from './exchange.ts';

/** Holds what API Gateway answers to a request, but for the headers that it gives to every answer. */
export type ApiResponse = {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly body: string;
};
