import { Duration } from 'aws-cdk-lib';
import { MathExpression, type MetricOptions, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { type QueueName, queueNames } from '../../../lambdas/api/queues.ts';
import { oldest } from '../alarms/seam-alarms.ts';
import { feedAge } from '../feed-age.ts';
import { chart, colors, palette } from './charts.ts';
import type { Section } from './section.ts';

const fiveMinutes = Duration.minutes(5);

/** Does what the maker's other systems tell come in, and what they are to be told get out? */
export const seamQueues: Section = ({ seams }) => {
  const { queues, relay, feedRecorders, relayFailures, feedFailures, undelivered } = seams;
  const ofEach = (draw: (name: QueueName, options: MetricOptions) => ReturnType<typeof visible>) =>
    queueNames.map((name, index) => draw(name, line(name, index)));
  return [
    chart(
      'Seams: messages that wait',
      ofEach((name, options) => visible(queues[name].queue, options)),
    ),
    chart(
      'Seams: age of the oldest, s',
      [
        ...ofEach((name, options) => queues[name].queue.metricApproximateAgeOfOldestMessage(options)),
        new MathExpression({
          label: 'relay',
          expression: 'iteratorAge / 1000',
          usingMetrics: { iteratorAge: relay.metric('IteratorAge', { statistic: Stats.MAXIMUM, period: fiveMinutes }) },
          period: fiveMinutes,
          color: colors.secondary,
        }),
        feedAge(feedRecorders, { label: 'feed', color: palette[queueNames.length + 2] as string }),
      ],
      {
        leftAnnotations: [
          {
            value: oldest.portalEvent.toSeconds(),
            label: 'page: portalEvents, requestedChanges',
            color: colors.failed,
          },
          { value: oldest.gatewayReport.toSeconds(), label: 'page: gatewayReports, relay, feed', color: colors.failed },
        ],
      },
    ),
    chart('Seams: dead letters', [
      ...ofEach((name, options) => visible(queues[name].deadLetters, options)),
      visible(undelivered, line('undelivered', queueNames.length)),
      visible(relayFailures, line('relayFailures', queueNames.length + 1)),
      visible(feedFailures, line('feedFailures', queueNames.length + 2)),
    ]),
  ];
};

/** One queue has one colour on all of these charts. */
const line = (label: string, index: number): MetricOptions => ({
  label,
  color: palette[index] as string,
  statistic: Stats.MAXIMUM,
  period: fiveMinutes,
});

const visible = (queue: Queue, options: MetricOptions) => queue.metricApproximateNumberOfMessagesVisible(options);
