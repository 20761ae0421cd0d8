import { BatchGetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { functionEnvironment } from '../../lambdas/runtime/function-environment.ts';

/** The commands of a remembered call, as `recordCommands` recorded them. */
type Event = { readonly commands: readonly { readonly name: string; readonly input: never }[] };

const { store } = functionEnvironment(process.env);
const commands = { BatchGetCommand, PutCommand };

/** A function that sends two commands at once, with the client of the functions and nothing around them. */
export const handler = async (event: Event) => {
  await Promise.all(
    event.commands.map(({ name, input }) => store.send(new commands[name as keyof typeof commands](input) as never)),
  );
  return { statusCode: 200, body: '' };
};
