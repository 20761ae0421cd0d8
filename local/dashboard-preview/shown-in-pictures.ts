import { problems } from '../../lambdas/api/problems.ts';
import { readChapters } from '../../partner/site/chapters.ts';

export type PictureName = 'on-call.png' | 'api-page.png';

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
  const { title, detail } = problems['consent-outdated'];
  return {
    'on-call.png': [...alarms.toSorted(), ...[...titles].map(([, widget]) => `chart ${widget}`)],
    'api-page.png': [...readChapters().map((chapter) => `chapter ${chapter.title}`), title, detail],
  };
};
