import { once } from 'node:events';
import { SourceMap } from 'node:module';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { proven } from '../support/campaign.ts';
import { eventually } from '../support/time.ts';
import { answerOf, demoOf, startMain } from './main-run.ts';

const operationId = 'getOwnApiKey';
const handlerFile = 'lambdas/handlers/api-keys.ts';

test('--inspect lets a debugger stop in the TypeScript of a handler', proven, async () => {
  const run = startMain(['--port', '0', '--without-fleet', '--inspect', operationId]);
  const demo = await demoOf(run);
  const [, address] = /^Inspector of getOwnApiKey: ([\d.:]+) /m.exec(run.output.stdout) ?? [];
  const inspector = await openInspector(`${address}`);
  try {
    const { scriptId, sourceMapURL } = await inspector.scriptNamed('/index.mjs');
    // The bundle ends with the handler, under the name of its file.
    const { scriptSource } = await inspector.send('Debugger.getScriptSource', { scriptId });
    const lineNumber = scriptSource.split('\n').indexOf(`// ${handlerFile}`);
    const { locations } = await inspector.send('Debugger.getPossibleBreakpoints', { start: { scriptId, lineNumber } });
    for (const location of locations) await inspector.send('Debugger.setBreakpoint', { location });

    const paused = inspector.next('Debugger.paused');
    const answering = answerOf(demo, '/api-keys/me', 200);
    const [{ location }] = (await paused).callFrames;
    expect(sourceOf(location, sourceMapURL)).toBe(pathToFileURL(handlerFile).href);

    await inspector.send('Debugger.disable');
    expect(JSON.parse(await answering)).toMatchObject({ keyId: demo.companies[0]?.keyId });
  } finally {
    inspector.close();
  }
  run.child.kill('SIGTERM');
  expect(await run.ended).toMatchObject({ exitCode: 0, stderr: '' });
});

type Location = { readonly lineNumber: number; readonly columnNumber: number };

/** Returns the source file of a position in the code, by the code's inline source map. */
const sourceOf = ({ lineNumber, columnNumber }: Location, sourceMapUrl: string): string | undefined => {
  const [, base64 = ''] = /^data:application\/json;base64,(.*)$/.exec(sourceMapUrl) ?? [];
  const map = new SourceMap(JSON.parse(Buffer.from(base64, 'base64').toString()));
  const entry = map.findEntry(lineNumber, columnNumber);
  return 'originalSource' in entry ? new URL(entry.originalSource, map.payload.sourceRoot).href : undefined;
};

// biome-ignore lint/suspicious/noExplicitAny: the messages of the inspector's protocol, which the tests know.
type Message = any;

/** A debugger attached to a Node.js process, with enough of the inspector's protocol to stop at a line. */
const openInspector = async (address: string) => {
  // On a busy machine, the process starts some time before it listens.
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

  // The inspector sends the events of already loaded scripts before its answer.
  await send('Debugger.enable');
  return {
    send,
    /** Resolves to the next event of a kind. */
    next,
    /** Resolves to the script whose URL has this ending; its event may not have arrived yet. */
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
