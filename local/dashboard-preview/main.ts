import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { UserFacingError } from 'serve-stack';
import { whenNpmEnds } from 'serve-stack/host';
import { print, printFault } from '../command-line.ts';
import { startLocalService } from '../service.ts';
import { findChromium, howToGetChromium, takePictures } from './chromium.ts';
import { pageHtml } from './drawing/page.ts';
import {
  alarmsThatRang,
  alarmsThatRing,
  compression,
  expectationOf,
  forecastOf,
  measureMachine,
  runScenario,
} from './run-scenario.ts';
import { type Options, readOptions, type Scenario, scenarios } from './scenarios.ts';

/** Relative to the project's root, where npm runs its scripts. */
const directory = resolve('.local/dashboard');

/** Plays the scenario and draws its dashboards. Returns whether the expected alarms rang. */
const preview = async ({ name, seconds, port }: Options): Promise<boolean> => {
  const scenario: Scenario = scenarios[name];
  const service = await startLocalService({ port, directory, announce: print });
  try {
    print(forecastOf(await measureMachine(service), seconds));
    print(`Playing ${name} for ${seconds} s: ${scenario.description}`);
    const run = await runScenario(service, scenario, { seconds });
    const shortName = (fullName: string) => fullName.replace(`${service.served.version().stack.name}-`, '');
    const dashboards = run.dashboards.map((each) => ({ ...each, name: shortName(each.name) }));
    const { description } = scenario;
    const html = pageHtml({
      ...run,
      dashboards,
      scenario: { name, description },
      seconds,
      compression,
    });
    await write(html, [...dashboards.map((each) => each.name), 'alarms']);
    const [rang = [], ringing = []] = [alarmsThatRang, alarmsThatRing].map((find) =>
      find(run.alarms).map(({ name: fullName }) => shortName(fullName)),
    );
    const expectation = expectationOf(scenario, rang, ringing, run.stalledShare);
    print(
      `Requests sent: ${run.requestsSent}. Alarms that rang: ${rang.join(', ') || 'none'}. ${expectation.sentence}`,
    );
    return expectation.holds;
  } finally {
    await service.close();
  }
};

const write = async (html: string, sectionIds: readonly string[]): Promise<void> => {
  mkdirSync(directory, { recursive: true });
  const pageFile = join(directory, 'index.html');
  writeFileSync(pageFile, html);
  print(pageFile);
  const chromium = findChromium();
  const pictures = chromium
    ? await takePictures(chromium, pageFile, directory, sectionIds)
    : [`No pictures were taken: ${howToGetChromium}.`];
  for (const line of pictures) print(line);
};

whenNpmEnds(() => process.exit(1));
try {
  process.exitCode = (await preview(readOptions(process.argv.slice(2)))) ? 0 : 1;
} catch (error) {
  printFault(error instanceof UserFacingError ? error.message : error);
  process.exitCode = 1;
}
