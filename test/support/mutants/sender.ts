import { relative } from 'node:path';

const isOurs = /^(lambdas|operator)\//;
/** Modules that pass on what others ask for. */
const passesOn = /^lambdas\/data\/store\//;

/** The module of the service, or of the operator's program, that sends a command; undefined where a test itself does. */
export const senderOf = (stack: string): string | undefined =>
  stack
    .split('\n')
    .flatMap((line) => /(?:file:\/\/|\(|at )(\/[^():]+\.ts)/.exec(line)?.[1] ?? [])
    .map((file) => relative(process.cwd(), file))
    .find((file) => isOurs.test(file) && !passesOn.test(file));
