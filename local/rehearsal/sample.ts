/** One value of a metric that AWS would publish of its own services. */
export type Sample = {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly value: number;
};

/** Several metrics under the same dimensions: `samplesOf('AWS/Lambda', {}, { Invocations: 1, Errors: 0 })`. */
export const samplesOf = (
  namespace: string,
  dimensions: Sample['dimensions'],
  values: Readonly<Record<string, number>>,
): Sample[] => Object.entries(values).map(([name, value]) => ({ namespace, name, dimensions, value }));
