import type { MeasuredOperation } from '../cost/measurements.ts';

/** The operation that partners call most: it stands for a request where there is room for one number only. */
export const typicalOperation: MeasuredOperation = 'getHeatingCircuit';

/** The operation with the fewest reads. */
export const plainestOperation: MeasuredOperation = 'getContract';

/** In US dollars: of a month, and of a million requests. */
export const goals = { month: 30.5, millionRequests: 5.4 };
