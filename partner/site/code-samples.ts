import type { DescribedOperation } from './operations.ts';

export type CodeSample = { readonly lang: string; readonly label: string; readonly source: string };

/** An operation as a request in three languages, with the values of the document's examples and no header that need not be. */
export const codeSamplesOf = (described: DescribedOperation): readonly CodeSample[] => [
  { lang: 'sh', label: 'Shell', source: inShell(described) },
  { lang: 'ts', label: 'TypeScript', source: inTypeScript(described) },
  { lang: 'python', label: 'Python', source: inPython(described) },
];

const requestOf = ({ method, path, operation }: DescribedOperation) => {
  const parameters = operation.parameters ?? [];
  const body = operation.requestBody?.content['application/json']?.example;
  return {
    method,
    path: path.replaceAll(
      /\{(\w+)\}/g,
      (_, name: string) => `${parameters.find((parameter) => parameter.name === name)?.example}`,
    ),
    headers: [
      ...parameters
        .filter((parameter) => parameter.in === 'header' && parameter.required)
        .map(({ name, example }) => [name, `${example}`] as const),
      ...(body === undefined ? [] : [['content-type', 'application/json'] as const]),
    ],
    body: body === undefined ? undefined : JSON.stringify(body),
  };
};

const inShell = (described: DescribedOperation): string => {
  const { method, path, headers, body } = requestOf(described);
  return [
    `curl --include ${method === 'GET' ? '' : `--request ${method} `}"$BASE_URL${path}"`,
    '--header "x-api-key: $API_KEY"',
    ...headers.map(([name, value]) => `--header '${name}: ${value}'`),
    ...(body === undefined ? [] : [`--data '${body}'`]),
  ].join(' \\\n  ');
};

const inTypeScript = (described: DescribedOperation): string => {
  const { method, path, headers, body } = requestOf(described);
  return [
    'const { BASE_URL, API_KEY } = process.env;',
    `const answer = await fetch(\`\${BASE_URL}${path}\`, {`,
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    '  headers: {',
    "    'x-api-key': API_KEY ?? '',",
    ...headers.map(([name, value]) => `    '${name}': '${value}',`),
    '  },',
    ...(body === undefined ? [] : [`  body: JSON.stringify(${body}),`]),
    '});',
    'console.log(answer.status, await answer.text());',
  ].join('\n');
};

const inPython = (described: DescribedOperation): string => {
  const { method, path, headers, body } = requestOf(described);
  return [
    'import os, urllib.error, urllib.request',
    '',
    'request = urllib.request.Request(',
    `    os.environ["BASE_URL"] + "${path}",`,
    ...(method === 'GET' ? [] : [`    method="${method}",`]),
    '    headers={',
    '        "x-api-key": os.environ["API_KEY"],',
    ...headers.map(([name, value]) => `        "${name}": "${value}",`),
    '    },',
    ...(body === undefined ? [] : [`    data=b'${body}',`]),
    ')',
    'try:',
    '    answer = urllib.request.urlopen(request)',
    'except urllib.error.HTTPError as problem:',
    '    answer = problem',
    'print(answer.status, answer.read().decode())',
  ].join('\n');
};
