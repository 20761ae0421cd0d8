import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { openApiText } from '../openapi/document.ts';
import { programNames, programText } from './chapters.ts';
import { harden } from './harden.ts';
import { indexForModels, pages } from './pages.ts';
import { operationPages, referenceDocument } from './reference.ts';

/** `npm run docs`: where the site is written, and the path below which a web server hands it out. */
export type SiteOptions = {
  readonly directory: string;
  /** Begins and ends with a slash. */
  readonly base: string;
  /** The page that sends what a reader tries, below `base`; the operations of the reference lead to it. */
  readonly tryOutPage?: string | undefined;
};

const repository = resolve(import.meta.dirname, '../..');
const theme = join(import.meta.dirname, 'theme');

/**
 * Guide and reference as one site: HTML, the Markdown of each page, `llms.txt` and the API document. It loads nothing from
 * elsewhere. The folder is swapped in as a whole, so that nobody reads half a site.
 */
export const buildSite = async ({ directory, base, tryOutPage }: SiteOptions): Promise<void> => {
  if (existsSync(directory) && !existsSync(join(directory, 'llms.txt')) && readdirSync(directory).length > 0)
    throw new Error(`${directory} is there, and is no site of ours. Name an empty folder, or one that is not there.`);
  const buildDirectory = join(repository, '.build');
  mkdirSync(buildDirectory, { recursive: true });
  // Below the repository, where the theme finds its packages.
  const workshop = mkdtempSync(join(buildDirectory, 'site-'));
  try {
    writeAll(workshop, {
      ...Object.fromEntries(pages().map(({ name, mdx }) => [`src/content/docs/${name}.mdx`, mdx])),
      'openapi.json': JSON.stringify(referenceDocument(tryOutPage && base + tryOutPage)),
    });
    for (const [file, place] of [
      ['astro.config.js', '.'],
      ['content.config.js', 'src'],
      ['site.css', 'src'],
      ['icon.svg', 'public'],
    ] as const)
      cpSync(join(theme, file), join(workshop, place, file));
    await runAstro(workshop, base);
    const site = join(workshop, 'dist');
    const markdown = Object.fromEntries(
      [...pages(), ...operationPages()].map((page) => [`${page.name}.md`, page.markdown]),
    );
    writeAll(site, {
      ...markdown,
      ...Object.fromEntries(programNames.map((name) => [`guide/${name}`, programText(name)])),
      'llms.txt': indexForModels(base),
      'openapi.json': openApiText(),
    });
    harden(site, base);
    // Beside its place first, which may be on another disk.
    mkdirSync(dirname(directory), { recursive: true });
    const next = mkdtempSync(`${directory}-`);
    cpSync(site, next, { recursive: true });
    swapIn(next, directory);
  } finally {
    rmSync(workshop, { recursive: true, force: true });
  }
};

/** Puts a folder in the place of another one, even if somebody else does so at the same time. */
const swapIn = (next: string, directory: string): void => {
  rmSync(directory, { recursive: true, force: true });
  try {
    renameSync(next, directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
    swapIn(next, directory);
  }
};

const writeAll = (directory: string, files: Readonly<Record<string, string>>): void => {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
};

const runAstro = async (root: string, base: string): Promise<void> => {
  const astro = resolve(repository, 'node_modules/astro/bin/astro.mjs');
  const run = promisify(execFile)(process.execPath, [astro, 'build', '--root', root, '--base', base], {
    // Nothing else of the environment: Astro takes variables such as MODE and BASE_URL for its own.
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: 'production', ASTRO_TELEMETRY_DISABLED: '1' },
  });
  // Who ends this process ends it, too, and finds nothing left behind.
  const stop = () => void run.child.kill();
  process.once('SIGTERM', stop);
  const { stdout } = await run
    .catch((error: { readonly stdout: string; readonly stderr: string }) => {
      throw new Error(`Astro could not build the site. It said:\n${error.stdout}${error.stderr}`);
    })
    .finally(() => process.off('SIGTERM', stop));
  if (!existsSync(join(root, 'dist/index.html'))) throw new Error(`Astro built no site. It said:\n${stdout}`);
};

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      base: { type: 'string', default: '/docs/' },
      output: { type: 'string', default: '.build/docs' },
      'try-out-page': { type: 'string' },
    },
  });
  const base = `/${values.base.replaceAll(/^\/+|\/+$/g, '')}/`.replace('//', '/');
  const directory = resolve(values.output);
  await buildSite({ directory, base, tryOutPage: values['try-out-page'] });
  console.log(`Guide and reference: ${directory}. Any web server can hand out this folder at the path ${base}.`);
}
