import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { notice, readOpenApiText, writeModules } from '../../client/build/generate.ts';
import { eventTypes, type OperationsDocument, runtimeOperations } from '../../client/build/operations.ts';
import { methodsModule } from './methods.ts';
import { lines, listOf, literalOf } from './python.ts';
import { typesModule } from './types.ts';

const head = `# ${notice}\n\n`;

/** The generated modules of the Python client, by file name. */
export const pythonModules = (openApiText: string): Readonly<Record<string, string>> => {
  const document = JSON.parse(openApiText);
  const modules = {
    '__init__.py': '',
    'methods.py': methodsModule(document),
    'operations.py': operationsModule(document),
    'types.py': typesModule(document),
    'version.py': `VERSION = ${literalOf(clientVersion())}\n`,
  };
  return Object.fromEntries(Object.entries(modules).map(([name, text]) => [name, head + text]));
};

/** Both clients have one version, which follows that of the API. */
const clientVersion = (): string =>
  JSON.parse(readFileSync(join(import.meta.dirname, '../../client/package.json'), 'utf8')).version;

const operationsModule = (document: OperationsDocument): string =>
  lines([
    'from __future__ import annotations',
    '',
    'from typing import FrozenSet, NamedTuple',
    '',
    '',
    'class Operation(NamedTuple):',
    '    """The facts about an operation that the client needs at run time."""',
    '',
    '    method: str',
    '    #: The path after the base URL, with the names of ids in braces.',
    '    path: str',
    '    #: Whether it can be about an owner, and whether it has to be.',
    '    takes_user_id: bool',
    '    needs_user_id: bool',
    '    success_status: int',
    '    problem_codes: FrozenSet[str]',
    '',
    '',
    'OPERATIONS = {',
    ...Object.entries(runtimeOperations(document)).flatMap(([operationId, operation]) => [
      `    ${literalOf(operationId)}: Operation(`,
      `        ${literalOf(operation.method)},`,
      `        ${literalOf(operation.path)},`,
      `        ${literalOf(operation.takesUserId)},`,
      `        ${literalOf(operation.needsUserId)},`,
      `        ${operation.successStatus},`,
      `        frozenset(${listOf(operation.problemCodes.map(literalOf), 8)}),`,
      '    ),',
    ]),
    '}',
    '',
    '#: The types of events that this version of the client knows.',
    `EVENT_TYPES = ${listOf(eventTypes(document).map(literalOf), 0)}`,
  ]);

/** `npm ci` and `npm run generate` start this. */
if (import.meta.main)
  writeModules(join(import.meta.dirname, '../partner_api_client/_generated'), pythonModules(readOpenApiText()));
