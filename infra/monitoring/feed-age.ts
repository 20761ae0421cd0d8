import { Duration } from 'aws-cdk-lib';
import { MathExpression, type MathExpressionOptions, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';

/** How old the oldest record is that a function has just written to the feed, in seconds: so late are the feeds. */
export const feedAge = (recorders: readonly IFunction[], options: MathExpressionOptions = {}): MathExpression => {
  const period = Duration.minutes(5);
  const ages = recorders.map(
    (recorder, index) =>
      [`recorder${index}`, recorder.metric('IteratorAge', { statistic: Stats.MAXIMUM, period })] as const,
  );
  return new MathExpression({
    expression: `MAX([${ages.map(([id]) => id).join(', ')}]) / 1000`,
    usingMetrics: Object.fromEntries(ages),
    period,
    ...options,
  });
};
