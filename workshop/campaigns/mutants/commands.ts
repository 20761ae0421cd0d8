import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { inconsistent, type Mutation, mutationsOf, senderOf } from './command-mutations.ts';
import { isLeftBehind, mutantRunner } from './runner.ts';

type Command = {
  readonly constructor: { readonly name: string };
  readonly input: object;
  readonly middlewareStack: { add: (middleware: never, options: object) => void };
};

const sent = new Set<string>();
let commands = 0;
/** The number of commands that the same test sends without a mutant. */
let commandsWithout = 0;
let active: readonly string[] = [];

/** Mutates every command from now on to which one of these mutants applies; forgets the commands sent before. */
const beginWith = (mutants: readonly string[]): void => {
  sent.clear();
  commands = 0;
  active = mutants;
};

/** Intercepts `send` of the SDK's client: sees each command and the module that sends it, and mutates it if asked to. */
const interceptCommands = () => {
  const { send } = DynamoDBDocumentClient.prototype;
  DynamoDBDocumentClient.prototype.send = function (this: DynamoDBDocumentClient, ...args: never[]) {
    const [command] = args as unknown as [Command];
    if (isLeftBehind()) return never();
    // A loop that ends thanks to the condition may run forever without it.
    if (++commands > 20 * commandsWithout + 100 && active.length > 0)
      return Promise.reject(new Error('The mutant sends commands without end.'));
    command.middlewareStack.add(endWithRun as never, {
      step: 'finalizeRequest',
      priority: 'low',
      name: 'run',
      override: true,
    });
    const sender = senderOf(stackHere());
    if (sender !== undefined) {
      const mutations = mutationsOf(command.constructor.name, command.input).map((mutation) => ({
        ...mutation,
        name: nameOf(sender, mutation),
      }));
      for (const { name } of mutations) sent.add(name);
      changeInput(
        command,
        mutations.filter(({ name }) => active.includes(name)),
      );
    }
    return send.apply(this, args as unknown as Parameters<typeof send>);
  } as typeof send;
};

/**
 * The answer to calls of a run that is over, after one of several concurrent calls failed the test: never, as if the process
 * had ended. An error would be unhandled, or would feed a loop that retries forever. Nothing else refers to the promise, so it
 * is collected together with everything that waits for it.
 */
const never = () => new Promise<never>(() => {});

/** Also stops the SDK's own retries of a call that was sent earlier. */
const endWithRun = (next: (args: object) => unknown) => (args: object) => (isLeftBehind() ? never() : next(args));

/** Reads many frames: the sender may be far away, behind wrappers of tests. */
const stackHere = (): string => {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 60;
  const { stack = '' } = new Error('Who sends this?');
  Error.stackTraceLimit = stackTraceLimit;
  return stack;
};

/** Names the client token without its sender: one module makes the tokens of all transactions. */
const nameOf = (sender: string, { guard, change }: Mutation): string =>
  guard === 'transaction' ? `every ${guard}, ${change}` : `${sender}: ${guard}, ${change}`;

const changeInput = ({ input, middlewareStack }: Command, mutations: readonly Mutation[]) => {
  if (mutations.length === 0) return;
  const changed = mutations.reduce((soFar, { apply }) => apply(soFar), input);
  const replace = (next: (args: object) => unknown) => (args: object) => next({ ...args, input: changed });
  middlewareStack.add(replace as never, { step: 'initialize', name: 'mutant', override: true });
};

interceptCommands();

export default mutantRunner({
  beginWith,
  met: () => {
    commandsWithout = commands;
    return [...sent];
  },
  cost: () => commands,
  maxCostOfCheapTest: 60,
  isTriedTogether: (mutant) => mutant.endsWith(inconsistent),
});
