import { UserFacingError } from '../errors.ts';
import { GatewayError } from './exchange.ts';

/** A resource of the API: one segment of its paths. */
export type ResourceNode = { readonly id: string; readonly parentId: string; readonly pathPart: string };
export type Method<Target> = { readonly resourceId: string; readonly httpMethod: string; readonly target: Target };

export type Match<Target> = {
  readonly resourceId: string;
  /** `/api-keys/{keyId}` */
  readonly resourcePath: string;
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly target: Target;
};

type Node<Target> = {
  readonly id: string;
  readonly path: string;
  readonly literals: Map<string, Node<Target>>;
  readonly methods: Map<string, Target>;
  parameter?: { readonly name: string; readonly node: Node<Target> };
};

type Found<Target> = { readonly node: Node<Target>; readonly pathParameters: Readonly<Record<string, string>> };

/** Returns the method that matches a request; `undefined` if no method matches. */
export type Router<Target> = (httpMethod: string, path: string) => Match<Target> | undefined;

export const createRouter = <Target>(
  rootId: string,
  resources: readonly ResourceNode[],
  methods: readonly Method<Target>[],
): Router<Target> => {
  const root = nodeOf(rootId, '', resources, methods);
  return (httpMethod, path) => {
    const found = find(root, segmentsOf(path));
    const target = found?.node.methods.get(httpMethod);
    if (!found || !target) return undefined;
    const { node, pathParameters } = found;
    return { resourceId: node.id, resourcePath: node.path || '/', pathParameters, target };
  };
};

const nodeOf = <Target>(
  id: string,
  path: string,
  resources: readonly ResourceNode[],
  methods: readonly Method<Target>[],
): Node<Target> => {
  const own = methods.filter(({ resourceId }) => resourceId === id);
  const node: Node<Target> = {
    id,
    path,
    literals: new Map(),
    methods: new Map(own.map(({ httpMethod, target }) => [httpMethod, target])),
  };
  for (const child of resources.filter(({ parentId }) => parentId === id)) {
    const childNode = nodeOf(child.id, `${path}/${child.pathPart}`, resources, methods);
    const name = parameterIn(child.pathPart);
    if (name === undefined) node.literals.set(child.pathPart, childNode);
    else node.parameter = { name, node: childNode };
  }
  return node;
};

/** Finds the node of a path. A literal segment takes precedence over a parameter. */
const find = <Target>(root: Node<Target>, segments: readonly string[]): Found<Target> | undefined => {
  const pathParameters: Record<string, string> = {};
  let node = root;
  for (const segment of segments) {
    const { literals, parameter } = node;
    const literal = literals.get(segment);
    if (!literal && parameter) pathParameters[parameter.name] = segment;
    const next = literal ?? parameter?.node;
    if (segment === '' || !next) return undefined;
    node = next;
  }
  return { node, pathParameters };
};

/** Returns the name of a parameter, `'{keyId}'` → `keyId`; `undefined` for a literal segment. */
const parameterIn = (pathPart: string): string | undefined => {
  const [, name] = pathPart.match(/^\{([\w.-]+)\}$/) ?? [];
  if (name === undefined && /[{}]/.test(pathPart))
    throw new UserFacingError(`The local run does not know the kind of path segment ${pathPart}.`);
  return name;
};

/** Returns the decoded segments. One trailing slash is ignored. */
const segmentsOf = (path: string): string[] => {
  const segments = path.replace(/^\//, '').replace(/\/$/, '');
  try {
    return segments === '' ? [] : segments.split('/').map(decodeURIComponent);
  } catch {
    throw new GatewayError('DEFAULT_4XX');
  }
};
