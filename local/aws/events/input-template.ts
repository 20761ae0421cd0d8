import { UserFacingError } from '../errors/user-facing-error.ts';

const placeholder = /<([^<>]*)>/g;
const knownPath = /^\$(\.[\w-]+)+$/;

/**
 * Compiles the input template of a pipe, JSON with paths in place of values: `{"keyId":<$.dynamodb.Keys.id.S>}`. A text's
 * quotes come with its value. Another kind of path, or one within quotes, is an error here; a path that leads nowhere is
 * one when it is followed.
 */
export const compileInputTemplate = (template: string): ((event: unknown) => unknown) => {
  const unknown = Array.from(template.matchAll(placeholder), ([, path]) => String(path)).find(
    (path) => !knownPath.test(path),
  );
  if (unknown !== undefined)
    throw new UserFacingError(`The local run does not know <${unknown}> in an input template.`);
  const fill = (valueAt: (path: string) => unknown) =>
    JSON.parse(template.replace(placeholder, (_, path: string) => JSON.stringify(valueAt(path))));
  try {
    fill(() => 'text');
  } catch {
    throw new UserFacingError(`The local run knows input templates of JSON with unquoted paths, not ${template}.`);
  }
  return (event) => fill((path) => follow(event, path));
};

const follow = (event: unknown, path: string): unknown => {
  let value: unknown = event;
  for (const name of path.split('.').slice(1)) value = (value as Record<string, unknown> | undefined)?.[name];
  if (value === undefined) throw new UserFacingError(`There is nothing at ${path} of the event.`);
  return value;
};
