import {
  BatchGetItemCommand,
  DynamoDBClient,
  PutItemCommand,
  type PutItemCommandInput,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { type Mutation, mutationsOf, senderOf } from './command-mutations.ts';
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

/**
 * Intercepts `send` of the SDK's clients: sees each command and the module that sends it, and mutates it if asked to. Frequent
 * commands go through the plain client, with marshalled values.
 */
const interceptCommands = () => {
  const { send } = DynamoDBDocumentClient.prototype;
  DynamoDBDocumentClient.prototype.send = function (this: DynamoDBDocumentClient, ...args: never[]) {
    const [command] = args as unknown as [Command];
    const { input, middlewareStack } = command;
    if (isLeftBehind()) return never();
    if (isEndless()) return endlessRun();
    middlewareStack.add(endWithRun as never, endOfRun);
    const changed = mutated(command.constructor.name, input, input);
    if (changed) {
      const replace = (next: (args: object) => unknown) => (sentArgs: object) => next({ ...sentArgs, input: changed });
      middlewareStack.add(replace as never, { step: 'initialize', name: 'mutant', override: true });
    }
    return send.apply(this, args as unknown as Parameters<typeof send>);
  } as typeof send;

  const { send: sendPlain } = DynamoDBClient.prototype;
  DynamoDBClient.prototype.send = function (this: DynamoDBClient, ...args: never[]) {
    const [command] = args as unknown as [Command];
    const plain = plainCommands.find(({ type }) => (command as object) instanceof type);
    if (!plain) return sendPlain.apply(this, args as unknown as Parameters<typeof sendPlain>);
    if (isLeftBehind()) return never();
    if (isEndless()) return endlessRun();
    this.middlewareStack.add(endWithRun as never, endOfRun);
    const { input } = command;
    const changed = mutated(plain.name, input, plain.documentOf(input));
    // The middleware of these commands is cached, so none can change their input.
    const changedCommand = changed && Object.assign(Object.create(command), { input: changed });
    return sendPlain.apply(this, [changedCommand ?? command] as unknown as Parameters<typeof sendPlain>);
  } as typeof sendPlain;
};

/** The plain commands that frequent commands become, the names of these, and their inputs as the document client takes them. */
const plainCommands = [
  { type: BatchGetItemCommand, name: 'BatchGetCommand', documentOf: (input: object) => input },
  {
    type: PutItemCommand,
    name: 'PutCommand',
    documentOf: ({ Item = {}, ...input }: Partial<PutItemCommandInput>) => ({ ...input, Item: unmarshall(Item) }),
  },
  {
    type: UpdateItemCommand,
    name: 'UpdateCommand',
    documentOf: ({ Key = {}, ...input }: Partial<UpdateItemCommandInput>) => ({ ...input, Key: unmarshall(Key) }),
  },
] as const;

/** A loop that ends thanks to the condition may run forever without it. */
const isEndless = () => ++commands > 20 * commandsWithout + 100 && active.length > 0;

const endlessRun = () => Promise.reject(new Error('The mutant sends commands without end.'));

/** Notes the mutants of a command, and returns its input with the active mutants applied; undefined if no mutant is active. */
const mutated = (name: string, input: object, document: object): object | undefined => {
  const sender = senderOf(stackHere());
  if (sender === undefined) return undefined;
  const mutations = mutationsOf(name, document).map((mutation) => ({ ...mutation, name: nameOf(sender, mutation) }));
  for (const mutation of mutations) sent.add(mutation.name);
  const chosen = mutations.filter((mutation) => active.includes(mutation.name));
  return chosen.length === 0 ? undefined : chosen.reduce<object>((soFar, { apply }) => apply(soFar), input);
};

/**
 * The answer to calls of a run that is over, after one of several concurrent calls failed the test: never, as if the process
 * had ended. An error would be unhandled, or would feed a loop that retries forever. Nothing else refers to the promise, so it
 * is collected together with everything that waits for it.
 */
const never = () => new Promise<never>(() => {});

const endOfRun = { step: 'finalizeRequest', priority: 'low', name: 'run', override: true } as const;

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

interceptCommands();

export default mutantRunner({
  beginWith,
  met: () => {
    commandsWithout = commands;
    return [...sent];
  },
});
