import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { accessLogFields } from '../../infra/api/api.ts';
import { createDeployProgram } from '../../infra/deploy/program.ts';
import { minFailures } from '../../infra/monitoring/alarms/alarm-definition.ts';
import {
  availabilityObjective,
  budgetPeriod,
  burnRates,
  errorBudget,
} from '../../infra/monitoring/alarms/service-levels.ts';
import { savedQueries } from '../../infra/monitoring/log-queries.ts';
import type { Endpoint } from '../../lambdas/api/endpoints/endpoint.ts';
import { endpoints, operationIds } from '../../lambdas/api/endpoints/endpoints.ts';
import { inboundEvents } from '../../lambdas/api/inbound-events/inbound-events.ts';
import { ratePolicies } from '../../lambdas/api/limits.ts';
import {
  deliveryFields,
  feedPurgeEvent,
  keyWatchFields,
  recordedEvents,
  relayedChange,
  takenMessage,
  usageRunEvent,
  webhookSweepEvent,
} from '../../lambdas/api/log-events/background-events.ts';
import { requestFields } from '../../lambdas/api/log-events/request-event.ts';
import { framesIn } from '../../lambdas/api/log-events/stack-frames.ts';
import { metrics } from '../../lambdas/api/metrics.ts';
import { problems } from '../../lambdas/api/problems.ts';
import { queueNames } from '../../lambdas/api/queues.ts';
import { feedEventTypes } from '../../lambdas/api/schemas/feed.ts';
import { disablingReasons } from '../../lambdas/api/schemas/webhook.ts';
import { type Table, tables } from '../../lambdas/api/tables.ts';
import { maxAttempts } from '../../lambdas/data/store/store.ts';
import { functionEnvironment, requestTimeouts } from '../../lambdas/runtime/function-environment.ts';
import { nameOf } from '../../operator/cli/command.ts';
import { programName } from '../../operator/cli/program.ts';
import { commands as operatorCommands } from '../../operator/commands.ts';
import { type LetterSummary, summaryRow } from '../../operator/integrations/letter-summary.ts';
import { fullConfig, resourcesOf, stackName, type Template, templateOf } from '../infra/synthesized.ts';
import { operatorFault } from '../support/operator.ts';

const directory = 'docs/runbooks';
const headings = ['What it means', 'How to see it', 'What to do', 'How to know it is over'];

const textOf = (file: string) => readFileSync(`${directory}/${file}`, 'utf8');
const files = readdirSync(directory);
const pages = files.filter((file) => file !== 'README.md');

const fence = /^ *```sh\n([\s\S]*?)^ *```$/gm;
const commandsOf = (file: string) => [...textOf(file).matchAll(fence)].map(([, commands = '']) => commands).join('\n');
/** Returns a page without its commands. A code span may continue on the next line. */
const proseOf = (file: string) => textOf(file).replace(fence, '').replace(/\n +/g, ' ');
const sectionOf = (file: string, heading: string) =>
  proseOf(file)
    .split(/^## /m)
    .find((part) => part.startsWith(`${heading}\n`)) ?? '';
const all = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, found = '']) => found.replace(/\s+/g, ' '));
const boldIn = (text: string) => all(text, /\*\*([^*]+)\*\*/g);
const codeIn = (text: string) => all(text, /`([^`]+)`/g);
const quotedIn = (text: string) => all(text, /"([^"]+)"/g);
const rowsIn = (text: string) =>
  [...text.matchAll(/^\| (.+) \|$/gm)]
    .map(([, row = '']) => row.split(' | '))
    .filter(([first]) => first?.includes('`'));

let template: Template;
beforeAll(async () => {
  template = await templateOf(fullConfig);
});

const alarmNames = () =>
  resourcesOf(template, 'AWS::CloudWatch::Alarm').map(([, { Properties }]) =>
    Properties.AlarmName.slice(stackName.length + 1),
  );

const operatorCommand = new RegExp(`^(npx ${programName} )?(${operatorCommands.map(nameOf).join('|')})( |$)`);

/** Returns whether a text is the name of a command, as in prose, or a complete command line. */
const isOperatorCommand = (text: string) =>
  operatorCommands.some((row) => nameOf(row) === text) || operatorFault(text) === undefined;

/** Returns the error of `npm run deploy` for its options; undefined if they are valid. */
const deployFault = (options: string): string | undefined => {
  const program = createDeployProgram(async () => undefined).exitOverride();
  program.configureOutput({ writeErr: () => undefined });
  try {
    program.parse(options.replaceAll(/<[^>]*>/g, 'id').split(/\s+/), { from: 'user' });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
};

type Dashboard = { readonly titles: ReadonlySet<string>; readonly labels: ReadonlySet<string> };
/** Returns the titles and labels of the dashboards. */
const dashboards = (): Dashboard => {
  const [titles, labels] = [new Set<string>(), new Set<string>()];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      if (name === 'title') titles.add(inner);
      if (name === 'label') labels.add(inner);
      visit(inner);
    }
  };
  for (const [, { Properties }] of resourcesOf(template, 'AWS::CloudWatch::Dashboard')) {
    const parts: unknown[] = Properties.DashboardBody['Fn::Join'][1];
    visit(JSON.parse(parts.map((part) => (typeof part === 'string' ? part : 'token')).join('')));
  }
  return { titles, labels };
};

describe.each(pages)('%s', (file) => {
  test('has a title and the four headings, in order', () => {
    const found = textOf(file).replace(fence, '').match(/^#.*/gm) ?? [];
    expect(found[0]).toMatch(/^# \S/);
    const remedy = `docs/runbooks/${file} has to have these headings, in this order.`;
    expect(found.slice(1), remedy).toEqual(headings.map((heading) => `## ${heading}`));
  });

  test('refers only to existing charts, lines and queries', () => {
    const { titles, labels } = dashboards();
    const seeing = sectionOf(file, 'How to see it');
    const place = `Under "How to see it" docs/runbooks/${file}`;
    expect(boldIn(seeing), `${place} has to name a chart of the dashboards, in bold.`).not.toEqual([]);
    const unknownCharts = boldIn(seeing).filter((title) => !titles.has(title));
    expect(unknownCharts, `${place} names in bold what no dashboard has. Correct the titles.`).toEqual([]);
    const unknownLines = quotedIn(seeing).filter((label) => !labels.has(label));
    expect(unknownLines, `${place} names in quotes what no chart has. Correct the labels.`).toEqual([]);
    const query = `${place} has to name a query of infra/monitoring/log-queries.ts, in code.`;
    expect(
      codeIn(seeing).some((name) => name in savedQueries),
      query,
    ).toBe(true);
  });

  test('covers every cause', () => {
    const bold = boldIn(sectionOf(file, 'What to do'));
    for (const cause of ['Our fault', 'One partner', 'One appliance', 'AWS'])
      expect(
        bold.some((each) => each.startsWith(cause)),
        `Under "What to do" docs/runbooks/${file} has to say what to do if the cause is **${cause}**.`,
      ).toBe(true);
  });
});

test('README.md refers only to existing charts and lines', () => {
  const { titles, labels } = dashboards();
  const finding = sectionOf('README.md', 'Diagnose: us, one partner or an appliance?');
  expect(boldIn(finding).filter((title) => !titles.has(title))).toEqual([]);
  expect(quotedIn(finding).filter((label) => !labels.has(label))).toEqual([]);
});

test('every deployment command is valid', () => {
  const lines = files.flatMap((file) => all(commandsOf(file), /npm run deploy -- (.*)$/gm));
  expect(lines.length).toBeGreaterThan(5);
  for (const line of lines) expect(deployFault(line), line).toBeUndefined();
});

test('every saved query is used by a runbook', () => {
  const text = pages.map((file) => textOf(file)).join();
  for (const name of Object.keys(savedQueries))
    expect(
      new RegExp(`[\`( ]${name}\\b`).test(text),
      `No page of docs/runbooks/ uses the query ${name}. Use it or remove it.`,
    ).toBe(true);
});

test('the tables are listed with their partition keys', () => {
  const rows = rowsIn(textOf('table-throttles.md')).filter((row) => row.length === 3);
  const remedy = 'Let the table of docs/runbooks/table-throttles.md have the tables of lambdas/api/tables.ts.';
  expect(
    rows.map(([name, key]) => [name, key]),
    remedy,
  ).toEqual(Object.entries<Table>(tables).map(([name, { partitionKey }]) => [`\`${name}\``, `\`${partitionKey}\``]));
});

describe('every name in the prose exists in the code', () => {
  /** The fields of events by log group. Saved queries show them by their own or another name. */
  const fieldsByLogGroup: Readonly<Record<string, readonly string[]>> = {
    RequestLog: Object.keys(requestFields),
    AccessLog: Object.keys(accessLogFields),
    JobLog: [keyWatchFields, webhookSweepEvent.shape, feedPurgeEvent.shape, usageRunEvent.shape].flatMap((fields) =>
      Object.keys(fields),
    ),
    ConsumerLog: [
      ...Object.keys(takenMessage.shape),
      ...Object.keys(relayedChange.shape),
      ...Object.keys(recordedEvents.shape),
      ...Object.keys(deliveryFields),
    ],
  };
  const aliasesIn = (query: string) => all(query, /\bas (\w+)/g);
  const keysIn = (value: unknown): string[] =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, inner]) => [key, ...keysIn(inner)])
      : [];
  const apiDocument = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
  /** Returns the properties and parameters of the API. */
  const ofApi = (value: unknown = apiDocument): string[] => {
    if (typeof value !== 'object' || value === null) return [];
    const { properties, name } = value as { properties?: object; name?: unknown };
    const own = [...Object.keys(properties ?? {}), ...(typeof name === 'string' ? [name] : [])];
    return [...own, ...Object.values(value).flatMap((inner) => ofApi(inner))];
  };
  const knownNames = () =>
    new Set([
      ...Object.values(fieldsByLogGroup).flat(),
      ...aliasesIn(
        Object.values(savedQueries)
          .map(({ query }) => query)
          .join('\n'),
      ),
      ...keysIn(fullConfig),
      ...queueNames,
      ...disablingReasons,
      ...Object.values<Table>(tables).flatMap(({ partitionKey, sortKey = '' }) => [partitionKey, sortKey]),
      ...[...alarmNames(), ...Object.keys(problems), ...Object.keys(ratePolicies), ...ofApi()],
    ]);

  /** Returns whether the text continues with the file that contains the name: `memorySize` in `infra/…`. */
  const isInNamedFile = (name: string, text: string): boolean => {
    const [, file] = text.match(new RegExp(`\`${name}\` in \`([^\`]+\\.ts)\``)) ?? [];
    return file !== undefined && readFileSync(file, 'utf8').includes(name);
  };
  const routes = new Set(Object.values<Endpoint>(endpoints).map(({ method, path }) => `${method} ${path}`));

  /** Returns the names that begin with the stack's: of alarms, dashboards, functions, queries, … */
  const namesOfStack = (value: unknown): string[] => {
    if (typeof value === 'string') return /^[\w/-]+$/.test(value) && value.startsWith(stackName) ? [value] : [];
    return typeof value === 'object' && value !== null ? Object.values(value).flatMap(namesOfStack) : [];
  };
  const outputs = () => Object.keys(template.Outputs);
  const metricsOfAws = () => all(JSON.stringify(template), /"MetricName":"(\w+)"/g);

  const packageScripts = JSON.parse(readFileSync('package.json', 'utf8')).scripts;

  /** Where a name has to exist, by its form. The first match decides. */
  const kinds: readonly (readonly [RegExp, (name: string, text: string) => boolean])[] = [
    [/^aws /, () => true],
    [
      /^--(code|at-once)$/,
      (name) => createDeployProgram(async () => undefined).options.some(({ long }) => long === name),
    ],
    [/^--base-url$/, () => operatorCommands.some(({ options }) => 'baseUrl' in options)],
    // A column of a table that a command prints.
    [/^[A-Z]+$/, (name) => name.toLowerCase() in summaryRow({} as LetterSummary)],
    // A state of a certificate's renewal.
    [/^PENDING_VALIDATION$/, () => true],
    [/^npm run /, (name) => name.replace('npm run ', '') in packageScripts],
    [/\.mjs:/, (name) => framesIn(name).length > 0],
    [operatorCommand, (name) => isOperatorCommand(name.replace(`npx ${programName} `, ''))],
    [/^<stack>/, (name) => namesOfStack(template.Resources).includes(name.replace('<stack>', stackName))],
    [/^https:\/\/$/, () => true],
    [/^(infra|lambdas|config|docs)\//, (name) => existsSync(name.replace('<stage>', 'example'))],
    [/^(GET|POST|PUT|PATCH|DELETE) /, (name) => routes.has(name)],
    [/^storeMs\./, (name) => JSON.stringify(savedQueries).includes(name)],
    [
      /^[a-z]+(-[A-Za-z0-9]+)+$/,
      (name) => alarmNames().includes(name) || [savedQueries, problems, ratePolicies].some((known) => name in known),
    ],
    [/(Error|Exception)$/, (name) => readFileSync('lambdas/data/store/attempts.ts', 'utf8').includes(`'${name}'`)],
    [/^[A-Z]\w+$/, (name) => name in metrics || name in tables || [...outputs(), ...metricsOfAws()].includes(name)],
    [/\.v\d+$/, (name) => name in inboundEvents],
    [/^[a-z_]+\.[a-z_]+$/, (name) => name in feedEventTypes],
    [/^[a-z]\w*$/, (name, text) => knownNames().has(name) || isInNamedFile(name, text)],
  ];

  test.each(files)('%s', (file) => {
    const text = proseOf(file);
    const unknown = codeIn(text).filter((name) => !kinds.find(([look]) => look.test(name))?.[1](name, text));
    // Shell functions are defined in the README's commands.
    const gone = unknown.filter((name) => !commandsOf('README.md').includes(`\n${name}() {`));
    expect(gone, `docs/runbooks/${file} names these in code, and they do not exist. Correct the names.`).toEqual([]);
  });

  test.each(files)('%s: also where a chart is named outside of its own section', (file) => {
    const causes = /^(Our fault|One partner|One appliance|AWS|Growth|Nobody's key)\b/;
    expect(boldIn(proseOf(file)).filter((text) => !dashboards().titles.has(text) && !causes.test(text))).toEqual([]);
  });

  test.each(files)('%s: also in the commands', (file) => {
    const commands = commandsOf(file);
    for (const command of all(commands, new RegExp(`npx ${programName} (.+?)(?: \\||$)`, 'gm')))
      expect(operatorFault(command), command).toBeUndefined();
    for (const name of all(commands, /\bask ([a-z-]+-[a-z-]+)/g)) expect(savedQueries).toHaveProperty(name);
    for (const name of all(commands, /\$\(table ([A-Z]\w+)\)/g)) expect(tables).toHaveProperty(name);
    for (const [, id = '', type = ''] of commands.matchAll(/\$\(resource (\w+) ([\w:]+)\)/g))
      expect(
        resourcesOf(template, type).filter(([logicalId]) => logicalId.startsWith(id)),
        id,
      ).toHaveLength(1);
    for (const id of all(commands, /log_group (\w+Log)\b/g))
      expect(
        resourcesOf(template, 'AWS::Logs::LogGroup').filter(([logicalId]) => logicalId.startsWith(id)),
      ).toHaveLength(1);
    for (const name of all(commands, /\$stack-([\w-]+[a-z0-9])\b/g))
      expect(namesOfStack(template.Resources).includes(`${stackName}-${name}`) || ownNames.has(name), name).toBe(true);
    for (const path of all(commands, /from "\.\/(.+?)"/g)) expect(existsSync(path), path).toBe(true);
  });

  test.each(files)('%s: also in the queries that its commands write themselves', (file) => {
    const queries = commandsOf(file).matchAll(/ask_log "\$\(log_group (\w+)\)" \d+ '([^']+)'/g);
    for (const [, logGroup = '', query = ''] of queries) {
      const known = [...wordsOfLanguage, ...aliasesIn(query), ...(fieldsByLogGroup[logGroup] ?? [])];
      expect(
        all(query, /(?<![@\w])([A-Za-z]\w*)/g).filter((word) => !known.includes(word)),
        query,
      ).toEqual([]);
    }
  });
  const wordsOfLanguage = 'filter not ispresent fields sort desc limit stats count as by'.split(' ');

  /** The names that the commands themselves create and delete. */
  const ownNames = new Set(['works', 'page-meanwhile']);
});

test('numbers outside of alarms match the code too', () => {
  expect([maxAttempts, requestTimeouts.requestTimeout, functionEnvironment({}).storeDeadlineMs]).toEqual([
    3, 700, 2000,
  ]);
  for (const file of ['latency.md', 'store-unavailable.md'])
    expect(textOf(file)).toMatch(/700 ms[^.]+three\s+attempts/);
  expect(proseOf('store-unavailable.md')).toMatch(/All\s+store\s+calls\s+of\s+a\s+request\s+together\s+have\s+2\s+s/);

  for (const [, { Properties }] of resourcesOf(template, 'AWS::Lambda::Function'))
    for (const id of operationIds.filter((each) => Properties.FunctionName === `${stackName}-${each}`)) {
      const { timeoutSeconds = 5 }: Endpoint = endpoints[id];
      expect(Properties.Timeout).toBe(timeoutSeconds);
      expect([5, 10]).toContain(timeoutSeconds);
    }
  expect(textOf('availability.md')).toContain('(they have 5 s; some of webhooks have 10 s)');

  for (const file of ['availability.md', 'store-unavailable.md'])
    expect(textOf(file)).toMatch(new RegExp(`fewer\\s+than\\s+${minFailures}\\b`));

  const objective = `${100 * availabilityObjective} % of all requests in ${budgetPeriod.toDays()} days`;
  expect(textOf('availability.md')).toContain(`The objective is ${objective}`);
  for (const { rate } of burnRates) {
    const share = Number((100 * errorBudget * rate).toFixed(6));
    expect(textOf('availability.md')).toMatch(new RegExp(`\\b${rate} means (?:that )?${share} %`));
  }
});
