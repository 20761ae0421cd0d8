import type { Endpoint } from '../../lambdas/api/endpoints/endpoint.ts';
import { endpoints, type OperationId } from '../../lambdas/api/endpoints/endpoints.ts';
import { writtenAt } from '../openapi/examples.ts';
import { parametersOf } from '../openapi/parameters.ts';
import { documentationOf } from '../openapi/schemas.ts';

export type CodeSample = { readonly lang: string; readonly label: string; readonly source: string };

/**
 * Returns the request of an operation in three languages, with the values of the document's examples moved to the present,
 * and without optional headers.
 */
export const codeSamplesOf = (operationId: OperationId): readonly CodeSample[] => {
  const request = requestOf(endpoints[operationId]);
  return [
    { lang: 'sh', label: 'Shell', source: inShell(request) },
    { lang: 'ts', label: 'TypeScript', source: inTypeScript(request) },
    { lang: 'python', label: 'Python', source: inPython(request) },
  ];
};

const requestOf = (endpoint: Endpoint) => {
  const parameters: readonly { name: string; in: string; required: boolean; example?: string }[] =
    parametersOf(endpoint);
  // In one line, with spaces at which a narrow view can wrap it.
  const body =
    endpoint.body &&
    JSON.stringify(writtenAt(Date.now(), documentationOf(endpoint.body).example), null, 1).replaceAll(/\n\s*/g, ' ');
  return {
    method: endpoint.method,
    path: endpoint.path.replaceAll(
      /\{(\w+)\}/g,
      (_, name: string) => `${parameters.find((parameter) => parameter.name === name)?.example}`,
    ),
    headers: [
      ...parameters
        .filter((parameter) => parameter.in === 'header' && parameter.required)
        .map(({ name, example }) => [name, `${example}`] as const),
      ...(body ? [['content-type', 'application/json'] as const] : []),
    ],
    body,
  };
};

type Request = ReturnType<typeof requestOf>;

const inShell = ({ method, path, headers, body }: Request): string =>
  [
    // Puts the URL on its own line, so that no line is wider than half a page.
    ...(method === 'GET'
      ? [`curl --include "$BASE_URL${path}"`]
      : [`curl --include --request ${method}`, `"$BASE_URL${path}"`]),
    '--header "x-api-key: $API_KEY"',
    ...headers.map(([name, value]) => `--header '${name}: ${value}'`),
    ...(body ? [`--data '${body}'`] : []),
  ].join(' \\\n  ');

const inTypeScript = ({ method, path, headers, body }: Request): string =>
  [
    'const { BASE_URL, API_KEY } = process.env;',
    `const answer = await fetch(\`\${BASE_URL}${path}\`, {`,
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    '  headers: {',
    "    'x-api-key': API_KEY ?? '',",
    ...headers.map(([name, value]) => `    '${name}': '${value}',`),
    '  },',
    ...(body ? [`  body: JSON.stringify(${body}),`] : []),
    '});',
    'console.log(answer.status, await answer.text());',
  ].join('\n');

const inPython = ({ method, path, headers, body }: Request): string =>
  [
    'import os, urllib.error, urllib.request',
    '',
    'request = urllib.request.Request(',
    `    os.environ["BASE_URL"] + "${path}",`,
    ...(method === 'GET' ? [] : [`    method="${method}",`]),
    '    headers={',
    '        "x-api-key": os.environ["API_KEY"],',
    ...headers.map(([name, value]) => `        "${name}": "${value}",`),
    '    },',
    ...(body ? [`    data=b'${body}',`] : []),
    ')',
    'try:',
    '    answer = urllib.request.urlopen(request)',
    'except urllib.error.HTTPError as problem:',
    '    answer = problem',
    'print(answer.status, answer.read().decode())',
  ].join('\n');
