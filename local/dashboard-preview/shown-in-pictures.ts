import { pages } from '../../partner/site/pages.ts';

export type PictureName = 'on-call.png' | 'on-call-row.png' | 'first-page.png';

type Template = {
  readonly Resources: Readonly<
    Record<string, { readonly Type: string; readonly Properties?: Readonly<Record<string, unknown>> }>
  >;
};

/**
 * Returns what the pictures in `docs/images` show, as far as the sources determine it. The command that draws the pictures
 * records it, and a test fails when the record is out of date.
 */
export const shownIn = ({ Resources }: Template): Readonly<Record<PictureName, readonly string[]>> => {
  const propertiesOf = (...types: readonly string[]) =>
    Object.values(Resources).flatMap(({ Type, Properties = {} }) => (types.includes(Type) ? [Properties] : []));
  const alarms = propertiesOf('AWS::CloudWatch::Alarm', 'AWS::CloudWatch::CompositeAlarm').map(({ AlarmName }) =>
    `alarm ${AlarmName}`.replace(/PartnerApi-\w+-/, ''),
  );
  const onCall = propertiesOf('AWS::CloudWatch::Dashboard').find(({ DashboardName }) =>
    `${DashboardName}`.endsWith('-on-call'),
  );
  const titles = JSON.stringify(onCall?.DashboardBody).matchAll(/\\"title\\":\\"(.*?)\\"/g);
  const charts = [...titles].map(([, widget]) => `chart ${widget}`);
  const [firstView = ''] = pages()[0]?.markdown.split('\n## ') ?? [];
  return {
    'on-call.png': [...alarms.toSorted(), ...charts],
    'on-call-row.png': charts,
    'first-page.png': firstView.split('\n').filter((line) => line !== ''),
  };
};
