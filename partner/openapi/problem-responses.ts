import * as z from 'zod/mini';
import { problemBody, problemMediaType } from '../../lambdas/api/problem.ts';
import { type ProblemCode, type ProblemDefinition, problems } from '../../lambdas/api/problems.ts';
import { authenticatedHeaderNames, commonHeaderNames, headersOf, type Presence } from './headers.ts';
import { type JsonSchema, toJsonSchema } from './json-schema.ts';
import { problemExamples } from './problem-examples.ts';

const definitionOf = (code: ProblemCode): ProblemDefinition => problems[code];

/** `api-key-missing` → `ApiKeyMissingProblem`. */
const schemaNameOf = (code: ProblemCode) =>
  `${code.replace(/(?:^|-)(\w)/g, (_, letter) => letter.toUpperCase())}Problem`;

export const exampleRequestId = '0a4f8f6c-5f0e-4f5c-9d3b-6f1f2f3a4b5c';

/** The schema of each problem by its name: the members of RFC 9457, our two, and its own. */
export const problemSchemas = (): Record<string, { code: ProblemCode; schema: JsonSchema }> =>
  Object.fromEntries(codes.map((code) => [schemaNameOf(code), { code, schema: problemSchema(code) }]));

const codes = Object.keys(problems) as ProblemCode[];

/** What programs tell problems apart by is constant; the words may be improved. */
const problemSchema = (code: ProblemCode): JsonSchema => {
  const { type, status } = problemBody(code, '');
  return toJsonSchema(
    () =>
      z.looseObject({
        type: z.literal(type),
        title: z.string(),
        status: z.literal(status),
        detail: z.string(),
        code: z.literal(code),
        requestId: z.string(),
        ...definitionOf(code).members?.(),
      }),
    'answered',
  );
};

export const problemExampleComponents = () =>
  Object.fromEntries(
    codes.map((code) => [
      code,
      { summary: definitionOf(code).title, value: problemBody(code, exampleRequestId, problemExamples[code]) },
    ]),
  );

/** Of one operation, by status. */
export const problemResponsesOf = (allowed: readonly ProblemCode[]) =>
  Object.fromEntries(
    [...byStatus(allowed)].map(([status, ofStatus]) => [
      status,
      { $ref: `#/components/responses/${responseNameOf(ofStatus)}` },
    ]),
  );

/** Every set of problems that some operation can answer with one status. */
export const problemResponseComponents = (sets: readonly (readonly ProblemCode[])[]) =>
  Object.fromEntries(
    sets
      .flatMap((set) => [...byStatus(set).values()])
      .map((ofStatus) => [responseNameOf(ofStatus), response(ofStatus)]),
  );

const byStatus = (allowed: readonly ProblemCode[]): Map<number, ProblemCode[]> =>
  Map.groupBy(
    codes.filter((code) => allowed.includes(code)),
    (code) => definitionOf(code).status,
  );

const responseNameOf = (ofStatus: readonly ProblemCode[]) => ofStatus.join('.');

const response = (ofStatus: readonly ProblemCode[]) => ({
  description: ofStatus.map((code) => `\`${code}\`: ${definitionOf(code).title}.`).join('\n\n'),
  headers: {
    ...headersOf(commonHeaderNames, 'required'),
    ...headersOf(authenticatedHeaderNames, 'optional'),
    ...Object.assign({}, ...headerNamesOf(ofStatus).map((name) => headersOf([name], presenceOf(name, ofStatus)))),
  },
  content: {
    [problemMediaType]: {
      schema: oneOf(ofStatus),
      examples: Object.fromEntries(ofStatus.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
    },
  },
});

const headerNamesOf = (ofStatus: readonly ProblemCode[]) => [
  ...new Set(
    ofStatus.flatMap((code) => Object.keys({ ...definitionOf(code).headers, ...definitionOf(code).ownHeaders })),
  ),
];

const presenceOf = (name: string, ofStatus: readonly ProblemCode[]): Presence => {
  // API Gateway renames it in what a function answers (docs/decisions/0007).
  if (name === 'WWW-Authenticate') return 'optional';
  const isAlways = (code: ProblemCode) =>
    definitionOf(code).headers?.[name] !== undefined || definitionOf(code).ownHeaders?.[name] === 'always';
  return ofStatus.every(isAlways) ? 'required' : 'optional';
};

const oneOf = (ofStatus: readonly ProblemCode[]) => {
  const references = ofStatus.map((code) => [code, `#/components/schemas/${schemaNameOf(code)}`] as const);
  const [[, only] = [], ...others] = references;
  if (others.length === 0) return { $ref: only };
  return {
    oneOf: references.map(([, $ref]) => ({ $ref })),
    discriminator: { propertyName: 'code', mapping: Object.fromEntries(references) },
  };
};
