import { requirementsOf, stages } from '../../lambdas/api/chain.ts';
import type { Endpoint, Requirements } from '../../lambdas/api/endpoints/endpoint.ts';
import { endpoints } from '../../lambdas/api/endpoints/endpoints.ts';
import type { ProblemDefinition } from '../../lambdas/api/problems/definition.ts';
import { type ProblemCode, problemDocs, problems } from '../../lambdas/api/problems.ts';
import type { PropertyDescriptions } from '../../partner/openapi/json-schema.ts';
import { exampleProblem, problemCodes } from '../../partner/openapi/problem-responses.ts';
import { codeBlockOf, tableOf } from '../../partner/site/markdown.ts';

type Docs = {
  readonly cause: string;
  readonly provokedBy?: string;
  readonly onlyCausedBy?: string;
  readonly members?: PropertyDescriptions;
};
const docs: Readonly<Record<ProblemCode, Docs>> = problemDocs();
const definitionOf = (code: ProblemCode): ProblemDefinition => problems[code];
const operations = Object.entries<Endpoint>(endpoints);

/** Returns a table with one row per problem. */
export const problemIndex = (): string =>
  tableOf(
    ['status', 'code', 'meaning', 'retry'],
    problemCodes.map((code) => {
      const { status, title } = definitionOf(code);
      return [`${status}`, `[\`${code}\`](#${code})`, title, repetitionOf(code)];
    }),
  );

/** Returns a table of the problems about key, address and owner, in the order of the stages. */
export const accessProblems = (): string => {
  const { request, authentication, authorization } = stages;
  const parts: readonly Partial<Requirements>[] = [
    request.everyEndpoint,
    ...Object.values(authentication),
    ...Object.values(authorization),
  ];
  const codes = new Set(parts.flatMap(({ problems = [] }) => problems));
  codes.delete('rate-limit-exceeded');
  return tableOf(
    ['status', 'code', 'meaning'],
    [...codes].map((code) => [`${definitionOf(code).status}`, linkTo(code), definitionOf(code).title]),
  );
};

const linkTo = (code: ProblemCode) => `[\`${code}\`](errors.md#${code})`;

/** Returns a section per problem: cause, remedy, members, headers, operations, and commands that provoke it. */
export const problemSections = (): string => problemCodes.map(sectionOf).join('\n\n');

const repetitionOf = (code: ProblemCode): string => {
  const { headers, ownHeaders, status } = definitionOf(code);
  if (headers?.['Retry-After'] || ownHeaders?.['Retry-After']) return 'after `Retry-After`';
  return status < 500 ? 'only after a change' : 'later';
};

const sectionOf = (code: ProblemCode): string => {
  const { status, title, detail, headers, ownHeaders } = definitionOf(code);
  const { cause, provokedBy, onlyCausedBy, members } = docs[code];
  const headerNames = Object.keys({ ...headers, ...ownHeaders });
  return [
    `<h3 id="${code}">${status} <code>${code}</code></h3>`,
    `**${title}.** ${cause}`,
    `**What to do:** ${detail}`,
    ...(members ? [memberTable(members), exampleOf(code)] : []),
    [
      ...(headerNames.length > 0 ? [`It has the header ${headerNames.map(quoted).join(', ')}.`] : []),
      `Returned ${returnedBy(code)}.`,
      provokedBy ? 'To cause it:' : `Only ${onlyCausedBy} can cause it.`,
    ].join(' '),
    ...(provokedBy ? [codeBlockOf('sh', provokedBy)] : []),
  ].join('\n\n');
};

const memberTable = (members: PropertyDescriptions): string =>
  tableOf(
    ['member', 'meaning'],
    Object.entries(members).map(([name, words]) => [
      quoted(name),
      typeof words === 'string' ? words : words.description,
    ]),
  );

const exampleOf = (code: ProblemCode): string => codeBlockOf('json', JSON.stringify(exampleProblem(code), null, 2));

/** Returns the operations that can answer with the problem, in the shortest form. */
const returnedBy = (code: ProblemCode): string => {
  const answering = operations.filter(([, endpoint]) => requirementsOf(endpoint).problems.includes(code));
  const isAnsweredByAll = (some: typeof operations) =>
    some.length === answering.length && some.every((each) => answering.includes(each));
  if (answering.length === 0) return 'for a request that matches no operation';
  if (isAnsweredByAll(operations)) return 'by every operation';
  if (isAnsweredByAll(operations.filter(([, { onBehalfOfUser }]) => onBehalfOfUser)))
    return 'by every operation under `/hvacs`';
  return `by ${answering.map(([operationId]) => quoted(operationId)).join(', ')}`;
};

const quoted = (name: string) => `\`${name}\``;
