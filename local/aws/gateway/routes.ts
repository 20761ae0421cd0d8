import { UserFacingError } from '../user-facing-error.ts';
import { GatewayError } from './gateway-error.ts';

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

/** Finds the method that a request is for; `undefined` where there is none. */
export type Router<Target> = (httpMethod: string, path: string) => Match<Target> | undefined;

export const createRouter = <Target>(
  rootId: string,
  resources: readonly ResourceNode[],
  methods: readonly Method<Target>[],
): Router<Target> => {
  const nodeOf = (id: string, path: string): Node<Target> => {
    const node: Node<Target> = { id, path, literals: new Map(), methods: methodsOf(id) };
    for (const child of resources.filter(({ parentId }) => parentId === id)) {
      const childNode = nodeOf(child.id, `${path}/${child.pathPart}`);
      const name = parameterName(child.pathPart);
      if (name === undefined) node.literals.set(child.pathPart, childNode);
      else node.parameter = { name, node: childNode };
    }
    return node;
  };
  const methodsOf = (id: string) =>
    new Map(
      methods.filter(({ resourceId }) => resourceId === id).map(({ httpMethod, target }) => [httpMethod, target]),
    );
  const root = nodeOf(rootId, '');

  return (httpMethod, path) => {
    const pathParameters: Record<string, string> = {};
    let node: Node<Target> | undefined = root;
    for (const segment of segmentsOf(path)) {
      const literal: Node<Target> | undefined = node.literals.get(segment);
      if (!literal && node.parameter && segment !== '') pathParameters[node.parameter.name] = segment;
      node = literal ?? (segment === '' ? undefined : node.parameter?.node);
      if (!node) return undefined;
    }
    const target = node.methods.get(httpMethod);
    return target && { resourceId: node.id, resourcePath: node.path || '/', pathParameters, target };
  };
};

/** `'{keyId}'` → `'keyId'`; undefined for a literal segment. */
const parameterName = (pathPart: string): string | undefined => {
  const [, name] = pathPart.match(/^\{([\w.-]+)\}$/) ?? [];
  if (name === undefined && /[{}]/.test(pathPart))
    throw new UserFacingError(`The local run does not know the kind of path segment ${pathPart}.`);
  return name;
};

/** The decoded segments; one trailing slash makes no difference. */
const segmentsOf = (path: string): string[] => {
  const segments = path.replace(/^\//, '').replace(/\/$/, '');
  try {
    return segments === '' ? [] : segments.split('/').map(decodeURIComponent);
  } catch {
    throw new GatewayError('DEFAULT_4XX');
  }
};
