import { UserFacingError } from '../errors/user-facing-error.ts';

const knownPath = /^\$(\.[\w-]+)*$/;

/** Compiles a path of names into an event: `$` is all of it. Another kind of path is an error here. */
export const compileInputPath = (path: string): ((event: unknown) => unknown) => {
  if (!knownPath.test(path)) throw new UserFacingError(`The local run does not know the path ${path} into an event.`);
  return (event) => {
    let value = event;
    for (const name of path.split('.').slice(1)) value = (value as Record<string, unknown> | undefined)?.[name];
    if (value === undefined) throw new UserFacingError(`There is nothing at ${path} of the event.`);
    return value;
  };
};
