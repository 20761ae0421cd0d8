import { once } from 'node:events';
import { eventually } from '../support/time.ts';

// biome-ignore lint/suspicious/noExplicitAny: the messages of the inspector's protocol, which the tests know.
type Message = any;

/** A debugger that is attached to a process of Node.js: enough of the inspector's protocol to stop at a line. */
export const openInspector = async (address: string) => {
  // On a busy machine the process has started a while before it listens.
  const list = await eventually(() => fetch(`http://${address}/json/list`));
  const [{ webSocketDebuggerUrl }] = (await list.json()) as Message[];
  const socket = new WebSocket(webSocketDebuggerUrl);
  await once(socket, 'open');
  const waiting = new Map<string | number, (message: Message) => void>();
  const scripts: Message[] = [];
  socket.addEventListener('message', ({ data }) => {
    const { id, method, params, result, error } = JSON.parse(String(data));
    if (method === 'Debugger.scriptParsed') scripts.push(params);
    waiting.get(id ?? method)?.(error ? Promise.reject(new Error(error.message)) : (result ?? params));
    waiting.delete(id ?? method);
  });

  const next = (key: string | number) => new Promise<Message>((resolve) => waiting.set(key, resolve));
  let lastId = 0;
  const send = (method: string, params: object = {}): Promise<Message> => {
    const id = ++lastId;
    const answer = next(id);
    socket.send(JSON.stringify({ id, method, params }));
    return answer;
  };

  // Scripts that are loaded already are told of before the answer.
  await send('Debugger.enable');
  return {
    send,
    /** The next event of a kind. */
    next,
    /** The script whose URL ends so; it may still be on its way. */
    scriptNamed: async (end: string): Promise<Message> => {
      for (;;) {
        const found = scripts.find(({ url }) => url.endsWith(end));
        if (found) return found;
        await next('Debugger.scriptParsed');
      }
    },
    close: () => socket.close(),
  };
};
