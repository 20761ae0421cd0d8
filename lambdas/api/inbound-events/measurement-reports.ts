import * as z from 'zod/mini';
import { maxMeasurements, measurementDays } from '../limits.ts';
import { maxIdCharacters, mayBeAbsent, openEnum, timestamp, writtenText } from '../schemas/common.ts';
import { measurementDescriptions } from '../schemas/gateway-measurements.ts';
import type { EventDocs } from './inbound-event.ts';

/** Words, numbers and units in every usual spelling: `lambdas/domain/measurement.ts` has their normal form. */
const reportedMeasurement = () =>
  z.object({
    name: openEnum(),
    componentId: mayBeAbsent(word()),
    value: reading(),
    unit: mayBeAbsent(word()),
    state: reading(),
    measuredAt: mayBeAbsent(z.union([timestamp(), z.literal('')])),
  });

/** An empty text is a missing value, as Go writes it. */
const word = () => writtenText(maxIdCharacters);
const reading = () => mayBeAbsent(z.union([z.number(), z.boolean(), word()]));

export const measurementReport = () => z.object({ measurements: mayBeAbsent(z.array(reportedMeasurement())) });

type Row = { readonly queue: 'gatewayReports'; readonly subject: 'gatewayId'; readonly data: typeof measurementReport };

export const measurementReportDocs = (): EventDocs<Row> => {
  const { name, componentId, value, unit, state, measuredAt } = measurementDescriptions();
  return {
    summary: `Measurements of a home: temperatures, pressures, powers, and the states of pumps and of the compressor. Send all that have changed in one event, at most every 5 minutes; every 15 minutes is enough for most homes. Measurements that the event omits stay unchanged. Of several measurements with the same name and component, the one with the latest time counts. The newest ${maxMeasurements} of a gateway are kept, each for ${measurementDays} days.`,
    example: {
      subject: 'gw-1001',
      data: {
        measurements: [
          { name: 'outdoorTemperature', value: 4.5, unit: 'celsius', measuredAt: '2026-11-21T10:15:30Z' },
          { name: 'waterPressure', value: 1600, unit: 'mbar' },
          { name: 'electricPower', componentId: '1', value: 1250 },
          { name: 'compressor', componentId: '1', state: 'on' },
        ],
      },
    },
    properties: {
      measurements: {
        description: `The measurements, at most ${maxMeasurements}.`,
        properties: {
          name: `${name} Others are shown to partners as they are. Upper and lower case, hyphens and underscores make no difference in a known name.`,
          componentId: `${componentId}. If absent, the measurement is of the home as a whole.`,
          value: `${value}; absent or null if the sensor cannot be read. A number outside the range of its name means the same. A boolean is a state.`,
          unit: `${unit}. If absent, it is the unit of the known name. A known name may have another usual unit, such as \`kPa\` or \`kW\`, which is converted. The unit of another name is shown as it is.`,
          state: `${state}. Booleans, 0 and 1 become \`off\` and \`on\`.`,
          measuredAt: `${measuredAt}. If absent, it is the time of the event. It is never after the event.`,
        },
      },
    },
  };
};
