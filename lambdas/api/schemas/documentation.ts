import type * as z from 'zod/mini';
import type { Descriptions } from '../descriptions.ts';
import type { Schema } from './common.ts';

/**
 * The words and the example that partners read about a body. They stand beside the schema as a function of their own, which
 * no handler calls: so the bundler leaves them out of every function (docs/decisions/0035).
 */
export type Documentation<Documented extends Schema> = {
  readonly example: z.output<ReturnType<Documented>>;
  readonly properties: Descriptions<z.output<ReturnType<Documented>>>;
};
