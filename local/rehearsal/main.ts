import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { UserFacingError } from '../aws/errors/user-facing-error.ts';
import { startLocalService } from '../service.ts';
import { findChromium, howToGetChromium } from './chromium.ts';
import { pageHtml } from './drawing/page.ts';
import { takePictures } from './drawing/screenshots.ts';
import { alarmsThatRang, expectationOf } from './expected-alarms.ts';
import { chosenCompanyId, compression, runScenario } from './run-scenario.ts';
import { isScenarioName, type Scenario, type ScenarioName, scenarios } from './scenarios.ts';

/** The folder lies in the working directory: npm's scripts run in the project's root. */
const directory = resolve('.local/dashboard');

const usage = 'Known are --scenario <name>, --seconds <number> and --port <number>.';

/** Half an hour has to be shown, or some alarms have too little to look at; beyond ten minutes nobody waits. */
const secondsAllowed = { min: 6, max: 600 };

type Options = { readonly name: ScenarioName; readonly seconds: number; readonly port: number };

const readOptions = (): Options => {
  const { scenario, seconds, port } = readArguments();
  if (!isScenarioName(scenario))
    throw new UserFacingError(`--scenario ${scenario} is none; known are ${Object.keys(scenarios).join(', ')}.`);
  if (!/^\d{1,3}$/.test(seconds) || Number(seconds) < secondsAllowed.min || Number(seconds) > secondsAllowed.max)
    throw new UserFacingError(`--seconds ${seconds} is none; write a whole number from 6 to 600.`);
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw new UserFacingError(`--port ${port} is no port; write a number from 0 (any free one) to 65535.`);
  return { name: scenario, seconds: Number(seconds), port: Number(port) };
};

const readArguments = () => {
  try {
    const options = {
      scenario: { type: 'string', default: 'healthy' },
      seconds: { type: 'string', default: '36' },
      port: { type: 'string', default: '0' },
    } as const;
    return parseArgs({ options }).values;
  } catch (error) {
    throw new UserFacingError(`${(error as Error).message.split('. ')[0]}. ${usage}`);
  }
};

/** Plays the scenario and draws it; true when it rang what it should. */
const preview = async ({ name, seconds, port }: Options): Promise<boolean> => {
  const scenario: Scenario = scenarios[name];
  const service = await startLocalService({ port, directory });
  try {
    console.log(`Playing ${name} for ${seconds} s, once the functions are warm: ${scenario.description}`);
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
      companyId: chosenCompanyId,
    });
    await write(html, [...dashboards.map((each) => each.name), 'alarms']);
    const rang = alarmsThatRang(run.alarms).map(({ name: fullName }) => shortName(fullName));
    const expectation = expectationOf(scenario, rang);
    console.log(
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
  console.log(pageFile);
  const chromium = findChromium();
  const pictures = chromium
    ? await takePictures(chromium, pageFile, directory, sectionIds)
    : [`No pictures were taken: ${howToGetChromium}.`];
  for (const line of pictures) console.log(line);
};

try {
  process.exitCode = (await preview(readOptions())) ? 0 : 1;
} catch (error) {
  console.error(error instanceof UserFacingError ? error.message : error);
  process.exitCode = 1;
}
