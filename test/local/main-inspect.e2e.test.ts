import { SourceMap } from 'node:module';
import { pathToFileURL } from 'node:url';
import { expect } from 'vitest';
import { campaign, provenTest } from '../support/campaign.ts';
import { openInspector } from './inspector.ts';
import { answerOf, demoOf, startMain } from './main-run.ts';

const operationId = 'getOwnApiKey';
const handlerFile = 'lambdas/handlers/api-keys.ts';

provenTest('--inspect lets a debugger stop in the TypeScript of a handler', campaign, async () => {
  const run = startMain(['--port', '0', '--inspect', operationId]);
  const demo = await demoOf(run);
  const [, address] = /^Inspector of getOwnApiKey: ([\d.:]+) /m.exec(run.output.stdout) ?? [];
  const inspector = await openInspector(`${address}`);
  try {
    const { scriptId, sourceMapURL } = await inspector.scriptNamed('/index.mjs');
    // The handler is what the bundle ends with, under the name of its file.
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

/** The file that a place in the code was made from, by the source map that stands in the code itself. */
const sourceOf = ({ lineNumber, columnNumber }: Location, sourceMapUrl: string): string | undefined => {
  const [, base64 = ''] = /^data:application\/json;base64,(.*)$/.exec(sourceMapUrl) ?? [];
  const map = new SourceMap(JSON.parse(Buffer.from(base64, 'base64').toString()));
  const entry = map.findEntry(lineNumber, columnNumber);
  return 'originalSource' in entry ? new URL(entry.originalSource, map.payload.sourceRoot).href : undefined;
};
