import * as z from 'zod/mini';
import type { ProblemDefinition } from '../../lambdas/api/problems/definition.ts';
import { type ProblemCode, problemBody, problemDocs, problemMediaType, problems } from '../../lambdas/api/problems.ts';
import { requestId, text } from '../../lambdas/api/schemas/common.ts';
import { authenticatedHeaderNames, commonHeaderNames, headersOf, type Presence } from './headers.ts';
import { type JsonSchema, type PropertyDescriptions, toJsonSchema } from './json-schema.ts';

const definitionOf = (code: ProblemCode): ProblemDefinition => problems[code];

/** All problem codes, sorted by status. */
export const problemCodes = (Object.keys(problems) as ProblemCode[]).toSorted(
  (one, other) => definitionOf(one).status - definitionOf(other).status,
);

/** `api-key-missing` → `ApiKeyMissingProblem`. */
const schemaNameOf = (code: ProblemCode) =>
  `${code.replace(/(?:^|-)(\w)/g, (_, letter) => letter.toUpperCase())}Problem`;

const exampleRequestId = 'ZuT4rGDNoAMFxXw=';

type DescribedSchema = { readonly schema: JsonSchema; readonly descriptions: PropertyDescriptions };

/** Returns the schema of each problem by name: the members of RFC 9457, those common to this API's problems, and its own. */
export const problemSchemas = (): Record<string, DescribedSchema> =>
  Object.fromEntries(
    problemCodes.map((code) => [
      schemaNameOf(code),
      { schema: problemSchema(code), descriptions: { ...commonDescriptions, ...docsOf(code).members } },
    ]),
  );

const commonDescriptions = {
  type: 'A URI for the kind of problem.',
  title: 'A summary of the problem, which is the same for every occurrence.',
  status: 'The HTTP status.',
  detail: 'How to resolve the problem.',
  code: 'The kind of problem. Base decisions of programs on it.',
  requestId: 'The id of the request, as in x-request-id. Include it when you contact the operator.',
};

type Docs = { readonly example?: object; readonly members?: PropertyDescriptions };
const docs = problemDocs();
const docsOf = (code: ProblemCode): Docs => docs[code];

/** Returns the example body of a problem for the document and the guide. */
export const exampleProblem = (code: ProblemCode) => problemBody(code, exampleRequestId, docsOf(code).example);

/** Returns the schema of a problem. Its `type`, `status` and `code` are constant; `title` and `detail` may change. */
const problemSchema = (code: ProblemCode): JsonSchema => {
  const { type, status } = problemBody(code, '');
  return toJsonSchema(
    () =>
      z.looseObject({
        type: z.literal(type),
        title: text(),
        status: z.literal(status),
        detail: text(),
        code: z.literal(code),
        requestId: requestId(),
        ...definitionOf(code).members?.(),
      }),
    'answered',
  );
};

export const problemExampleComponents = () =>
  Object.fromEntries(
    problemCodes.map((code) => [code, { summary: definitionOf(code).title, value: exampleProblem(code) }]),
  );

/** Returns the problem responses of an operation, by status. */
export const problemResponsesOf = (allowed: readonly ProblemCode[]) =>
  Object.fromEntries(
    [...byStatus(allowed)].map(([status, ofStatus]) => [
      status,
      { $ref: `#/components/responses/${responseNameOf(ofStatus)}` },
    ]),
  );

/** Returns a response for every set of problems that an operation can answer with one status. Throws if a problem is unused. */
export const problemResponseComponents = (sets: readonly (readonly ProblemCode[])[]) => {
  const unanswered = problemCodes.filter((code) => !sets.flat().includes(code));
  if (unanswered.length > 0)
    throw new Error(
      `No operation answers ${unanswered.join(', ')}. Name it in its stage in lambdas/api/chain.ts, or in the row of its endpoint in lambdas/api/endpoints/.`,
    );
  return Object.fromEntries(
    sets
      .flatMap((set) => [...byStatus(set).values()])
      .map((ofStatus) => [responseNameOf(ofStatus), response(ofStatus)]),
  );
};

const byStatus = (allowed: readonly ProblemCode[]): Map<number, ProblemCode[]> =>
  Map.groupBy(
    problemCodes.filter((code) => allowed.includes(code)),
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
  // API Gateway renames this header in the answer of a function (docs/decisions/0007).
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
