import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { notice, readOpenApiText, writeModules } from '../../client/build/generate.ts';
import {
  circuitSettings,
  eventTypes,
  knownMeasurements,
  type OperationsDocument,
  runtimeOperations,
} from '../../client/build/operations.ts';
import { methodsModule } from './methods.ts';
import { lines, listOf, literalOf } from './python.ts';
import { typesModule } from './types.ts';

const head = `# ${notice}\n\n`;

/** Returns the generated modules of the Python client by file name. */
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

/** Both clients have the same version, which follows that of the API. */
const clientVersion = (): string =>
  JSON.parse(readFileSync(join(import.meta.dirname, '../../client/package.json'), 'utf8')).version;

const operationsModule = (document: OperationsDocument): string =>
  lines([
    'from __future__ import annotations',
    '',
    'from typing import Dict, FrozenSet, NamedTuple, Optional',
    '',
    '',
    'class Operation(NamedTuple):',
    '    """The data about an operation that the client needs at run time."""',
    '',
    '    method: str',
    '    #: The path after the base URL, with id names in braces: `/hvacs/{gatewayId}`.',
    '    path: str',
    '    #: Whether the operation accepts, and whether it requires, `x-user-id`.',
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
    '#: The event types that this version of the client knows.',
    `EVENT_TYPES = ${listOf(eventTypes(document).map(literalOf), 0)}`,
    '',
    '#: The unit of each measurement that this version of the client knows, by its name; None for a state.',
    'MEASUREMENT_UNITS: Dict[str, Optional[str]] = {',
    ...knownMeasurements(document).flatMap(({ name, unit, description }) => [
      `    # ${description}`,
      `    ${literalOf(name)}: ${literalOf(unit)},`,
    ]),
    '}',
    '',
    '#: The settings that a change of a circuit can set.',
    `CIRCUIT_SETTINGS = ${listOf(circuitSettings(document).map(literalOf), 0)}`,
  ]);

/** Runs in `npm ci` and `npm run generate`. */
if (import.meta.main)
  writeModules(join(import.meta.dirname, '../partner_api_client/_generated'), pythonModules(readOpenApiText()));
