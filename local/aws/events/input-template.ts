import { UserFacingError } from '../errors/user-facing-error.ts';
import { compileInputPath } from './input-path.ts';

const placeholder = /<([^<>]*)>/g;

/**
 * Compiles the input template of a pipe, JSON with paths in place of values: `{"keyId":<$.dynamodb.Keys.id.S>}`. A text's
 * quotes come with its value. Another kind of path, or one within quotes, is an error here; a path that leads nowhere is
 * one when it is followed.
 */
export const compileInputTemplate = (template: string): ((event: unknown) => unknown) => {
  const valueAt = new Map(
    Array.from(template.matchAll(placeholder), ([, path = '']) => [path, compileInputPath(path)] as const),
  );
  const fill = (fillPlace: (path: string) => unknown) =>
    JSON.parse(template.replace(placeholder, (_, path: string) => JSON.stringify(fillPlace(path))));
  try {
    fill(() => 'text');
  } catch {
    throw new UserFacingError(`The local run knows input templates of JSON with unquoted paths, not ${template}.`);
  }
  return (event) => fill((path) => valueAt.get(path)?.(event));
};
