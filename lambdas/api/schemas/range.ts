import * as z from 'zod/mini';
import { type Descriptions, mayBeAbsent } from './common.ts';
import { type Measurement, temperature, within } from './measurement.ts';

/** The values of a number that partners may request, in steps from the lowest one on. */
export type Range = { readonly minimum: number; readonly maximum: number; readonly step: number };

/** A range as an answer has it. */
export const range = (row: Measurement) => z.looseObject({ minimum: within(row), maximum: within(row), step: step() });

/** A range as a backend describes it: what it leaves out is as usual. */
export const describedRange = (row: Measurement) => z.object(describedEnds(row)).check(inOrder());

export const describedEnds = (row: Measurement) => ({
  minimum: mayBeAbsent(within(row)),
  maximum: mayBeAbsent(within(row)),
  step: mayBeAbsent(step()),
});

export const inOrder = () => z.refine<Ends>(isInOrder, 'Expected a minimum that is not above the maximum.');

const step = () => z.number().check(z.minimum(0.01), z.maximum(temperature.maximum));

type Ends = { readonly [End in 'minimum' | 'maximum']?: number | null | undefined };

const isInOrder = ({ minimum, maximum }: Ends): boolean =>
  typeof minimum !== 'number' || typeof maximum !== 'number' || minimum <= maximum;

export const rangeDescriptions = (): Descriptions<Range> => ({
  minimum: 'The lowest value.',
  maximum: 'The highest value.',
  step: 'The step of values, starting at the lowest value.',
});
