import {
  knownMeasurements,
  operationsIn,
  type WithMeasurements,
  type WithPaths,
} from '../../client/build/operations.ts';
import { docstringOf, isAttribute, lines, listOf, literalOf, pascalCase } from './python.ts';

/** The part of JSON Schema that the API document uses. */
export type Schema = {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly maxProperties?: number;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
};

type Parameter = { readonly name: string; readonly in: string; readonly schema: Schema };

type Operation = { readonly operationId: string; readonly parameters?: readonly Parameter[] };

type TypesDocument = WithPaths<Operation> &
  WithMeasurements & {
    readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  };

/** A definition in the module: its name and its lines. */
type Definition = readonly [name: string, lines: readonly string[]];

/** Returns the module with a class for each object of the API document, and an alias for each enum parameter. */
export const typesModule = (document: TypesDocument): string => {
  const schemas = Object.entries(document.components.schemas);
  const problems = schemas.filter(([name]) => name.endsWith('Problem'));
  const parameters = operationsIn(document).flatMap(({ operation: { operationId, parameters: own = [] } }) =>
    own.map((parameter) => ({ operationId, ...parameter })),
  );
  const definitions: Definition[] = [
    ['Empty', ['@final', 'class Empty(TypedDict):', '    """An object without properties."""']],
    ...schemas.flatMap(([name, schema]) => definitionsOf(name, schema)),
    aliasOf(
      'Problem',
      `Union${listOf(
        problems.map(([name]) => name),
        0,
      )}`,
    ),
    aliasOf('MeasurementName', typeOf('', { enum: knownMeasurements(document).map(({ name }) => name) })),
    aliasOf('ProblemCode', typeOf('', { enum: problems.map(([, { properties }]) => properties?.code?.const) })),
    ...parameters
      .filter(({ schema }) => isChoice(schema))
      .map(({ operationId, name, schema }) => aliasOf(nameOfChoice(operationId, name), typeOf('', schema))),
  ];
  const names = definitions.map(([name]) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice) throw new Error(`Two types of the Python client would be ${twice}: name one of their schemas otherwise.`);
  return lines([
    'from __future__ import annotations',
    '',
    'from typing import Any, Dict, List, Literal, Optional, TypedDict, Union, final',
    '',
    `__all__ = ${listOf(
      names
        .filter((name) => !name.startsWith('_'))
        .toSorted()
        .map(literalOf),
      0,
    )}`,
    ...definitions.flatMap(([, each]) => ['', '', ...each]),
  ]);
};

/** Whether a parameter gets its own type: it has an enum and is not a boolean. */
export const isChoice = (schema: Schema): boolean => schema.enum !== undefined && !isBoolean(schema);

/** Whether a query parameter is a boolean: its values are the words `true` and `false`. */
export const isBoolean = ({ enum: values }: Schema): boolean => String(values?.toSorted()) === 'false,true';

export const nameOfChoice = (operationId: string, parameter: string): string =>
  pascalCase(operationId) + pascalCase(parameter);

const aliasOf = (name: string, type: string): Definition => [name, [`${name} = ${type}`]];

/** Returns the definitions of nested objects, innermost first, then the schema's own: a class, or an alias for other types. */
const definitionsOf = (name: string, schema: Schema): Definition[] => [
  ...objectsWithin(name, schema).flatMap(([inner, each]) => definitionsOf(inner, each)),
  ...(schema.properties ? classesOf(name, schema) : [aliasOf(name, typeOf(name, schema))]),
];

/** Returns the objects in the properties of a schema, with the names of their classes. */
const objectsWithin = (name: string, { properties = {} }: Schema): (readonly [string, Schema])[] =>
  Object.entries(properties).flatMap(([property, schema]) => objectsIn(name + pascalCase(property), schema));

const objectsIn = (name: string, schema: Schema): (readonly [string, Schema])[] => {
  if (schema.properties) return [[name, schema]];
  return [
    ...(schema.items ? objectsIn(`${name}Item`, schema.items) : []),
    ...(typeof schema.additionalProperties === 'object' ? objectsIn(`${name}Value`, schema.additionalProperties) : []),
    ...alternativesOf(schema).flatMap((each, index) => objectsIn(`${name}${index + 1}`, each)),
  ];
};

const alternativesOf = ({ oneOf, anyOf }: Schema): readonly Schema[] => oneOf ?? anyOf ?? [];

/** A TypedDict has either required or optional properties: if an object has both, the required ones are in a base class. */
const classesOf = (name: string, { description = '', properties = {}, required = [] }: Schema): Definition[] => {
  const parts = [true, false]
    .map((isRequired) => ({
      isRequired,
      base: `_${name}${isRequired ? 'Required' : 'Optional'}`,
      members: Object.entries(properties).filter(([property]) => required.includes(property) === isRequired),
    }))
    .filter(({ members }) => members.length > 0);
  const last = parts.at(-1);
  // A Python keyword cannot be a class attribute: a part with one becomes a base in the functional syntax of TypedDict.
  const own = last?.members.every(([property]) => isAttribute(property)) ? last : undefined;
  const bases = parts.filter((part) => part !== own);
  return [
    ...bases.map((part): Definition => [part.base, baseOf(name, part)]),
    [
      name,
      [
        `class ${name}(${bases.map(({ base }) => base).join(', ') || 'TypedDict'}${own?.isRequired === false ? ', total=False' : ''}):`,
        ...(description ? [...docstringOf(description, 4), ''] : []),
        ...(own ? membersOf(name, own.members) : ['    pass']),
      ],
    ],
  ];
};

type Part = { readonly isRequired: boolean; readonly base: string; readonly members: readonly [string, Schema][] };

const baseOf = (name: string, { isRequired, base, members }: Part): string[] => {
  const total = isRequired ? '' : ', total=False';
  if (members.every(([property]) => isAttribute(property)))
    return [`class ${base}(TypedDict${total}):`, ...membersOf(name, members)];
  const types = members.map(
    ([property, schema]) => `    ${literalOf(property)}: ${literalOf(typeOf(name + pascalCase(property), schema))},`,
  );
  return [`${base} = TypedDict("${base}", {`, ...types, `}${total})`];
};

const membersOf = (name: string, members: readonly [string, Schema][]): string[] =>
  members.flatMap(([property, schema]) => [
    `    ${property}: ${typeOf(name + pascalCase(property), schema)}`,
    ...(schema.description ? docstringOf(schema.description, 4) : []),
  ]);

/** Returns the type of a schema. `name` is the class name for an object that has no name of its own. */
export const typeOf = (name: string, schema: Schema): string => {
  if (schema.$ref !== undefined) return schema.$ref.replace('#/components/schemas/', '');
  if (schema.const !== undefined) return `Literal[${literalOf(schema.const)}]`;
  if (schema.enum) return `Literal[${schema.enum.map(literalOf).join(', ')}]`;
  const alternatives = alternativesOf(schema);
  if (alternatives.length > 0) return unionOf(alternatives.map((each, index) => typeOf(`${name}${index + 1}`, each)));
  return unionOf([schema.type ?? []].flat().map((type) => typeOfOne(name, type, schema)));
};

const typeOfOne = (name: string, type: string, schema: Schema): string => {
  if (type === 'array') return `List[${typeOf(`${name}Item`, schema.items ?? {})}]`;
  if (type !== 'object') return simpleTypes[type] ?? 'Any';
  if (schema.properties) return name;
  if (schema.maxProperties === 0) return 'Empty';
  const { additionalProperties: values } = schema;
  return `Dict[str, ${typeof values === 'object' ? typeOf(`${name}Value`, values) : 'Any'}]`;
};

const simpleTypes: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
};

const unionOf = (types: readonly string[]): string => {
  const some = [...new Set(types)].filter((type) => type !== 'None');
  const union = some.length > 1 ? `Union[${some.join(', ')}]` : (some[0] ?? 'Any');
  return types.includes('None') ? `Optional[${union}]` : union;
};
