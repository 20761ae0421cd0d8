import { requirementsOf } from '../../lambdas/api/chain/requirements.ts';
import type { Endpoint } from '../../lambdas/api/endpoints/endpoint.ts';
import { endpoints } from '../../lambdas/api/endpoints/endpoints.ts';
import { problemBody } from '../../lambdas/api/problem.ts';
import { type ProblemCode, type ProblemDefinition, problems } from '../../lambdas/api/problems.ts';
import { problemExamples } from '../openapi/problem-examples.ts';
import { exampleRequestId } from '../openapi/problem-responses.ts';
import { descriptionOf } from '../openapi/property-descriptions.ts';
import { codeBlockOf, tableOf } from './markdown.ts';
import { problemGuidance } from './problem-guidance.ts';

const codes = Object.keys(problems) as ProblemCode[];
const definitionOf = (code: ProblemCode): ProblemDefinition => problems[code];
const operations = Object.entries<Endpoint>(endpoints);

/** One line per problem. */
export const problemIndex = (): string =>
  tableOf(
    ['status', 'code', 'what happened', 'send it again?'],
    codes.map((code) => {
      const { status, title } = definitionOf(code);
      return [`${status}`, `[\`${code}\`](#${code})`, title, repetitionOf(code)];
    }),
  );

/** One section per problem: cause, remedy, what it brings along, who answers it. */
export const problemSections = (): string => codes.map(sectionOf).join('\n\n');

const repetitionOf = (code: ProblemCode): string => {
  const { headers, ownHeaders, status } = definitionOf(code);
  if (headers?.['Retry-After'] || ownHeaders?.['Retry-After']) return 'after `Retry-After`';
  return status < 500 ? 'not as it is' : 'later';
};

const sectionOf = (code: ProblemCode): string => {
  const { status, title, detail, headers, ownHeaders, members } = definitionOf(code);
  const { cause, provokedBy } = problemGuidance[code];
  const headerNames = Object.keys({ ...headers, ...ownHeaders });
  return [
    `<h4 id="errors-${code}">${status} <code>${code}</code></h4>`,
    `**${title}.** ${cause}`,
    `**What to do:** ${detail}`,
    ...(members ? [memberTable(code, Object.keys(members())), exampleOf(code)] : []),
    [
      ...(headerNames.length > 0 ? [`Brings the header ${headerNames.map(quoted).join(', ')}.`] : []),
      `Answered by ${answeredBy(code)}.${provokedBy ? ' To see it:' : ''}`,
    ].join(' '),
    ...(provokedBy ? [codeBlockOf('sh', provokedBy)] : []),
  ].join('\n\n');
};

const memberTable = (code: ProblemCode, names: readonly string[]): string =>
  tableOf(
    ['member', 'says'],
    names.map((name) => [quoted(name), descriptionOf(code, name)]),
  );

const exampleOf = (code: ProblemCode): string =>
  codeBlockOf('json', JSON.stringify(problemBody(code, exampleRequestId, problemExamples[code]), null, 2));

/** As shortly as it can be said. */
const answeredBy = (code: ProblemCode): string => {
  const answering = operations.filter(([, endpoint]) => requirementsOf(endpoint).problems.includes(code));
  const isAnsweredByAll = (some: typeof operations) =>
    some.length === answering.length && some.every((each) => answering.includes(each));
  if (answering.length === 0) return 'what is no operation';
  if (isAnsweredByAll(operations)) return 'every operation';
  if (isAnsweredByAll(operations.filter(([, { onBehalfOfUser }]) => onBehalfOfUser)))
    return 'every operation under `/hvacs`';
  return answering.map(([operationId]) => quoted(operationId)).join(', ');
};

const quoted = (name: string) => `\`${name}\``;
