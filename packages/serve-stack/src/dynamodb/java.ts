import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createWriteStream, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { UserFacingError } from '../errors.ts';

export type JavaOptions = {
  /** The source from which a missing Java runtime is downloaded: an API like Adoptium's, or `none` to download nothing. */
  readonly javaSource?: string | undefined;
  /** Receives a line before a runtime is downloaded. */
  readonly announce?: ((line: string) => void) | undefined;
};

const version = 21;

/** Sets another source for all runs of a machine, such as a mirror within a company's own network. */
const sourceVariable = 'JAVA_RUNTIME_SOURCE';

/**
 * Returns the `java` of a runtime in the user's cache, and downloads it the first time. Throws a UserFacingError if that fails;
 * a broken, incomplete or wrong download leaves nothing behind. No npm package does that: `njre` 1.4.2 knows one fixed address
 * and no cache, and leaves a broken archive where it is.
 */
export const cachedJava = async ({ javaSource, announce = () => undefined }: JavaOptions = {}): Promise<string> => {
  const cache = join(cacheDirectory(), 'serve-stack');
  const runtime = join(cache, `java-${version}`);
  const java = join(runtime, process.platform === 'darwin' ? 'Contents/Home/bin/java' : 'bin/java');
  if (existsSync(java)) return java;
  const source = javaSource ?? process.env[sourceVariable] ?? 'https://api.adoptium.net';
  if (source === 'none') throw javaIsMissing('Fetching one is switched off.');
  const platform = platformOfAdoptium();
  if (!platform) throw javaIsMissing(`None is fetched for ${process.platform} on ${process.arch}.`);
  announce(
    `No Java ${oldestVersion} or newer on the PATH: fetching a runtime of Eclipse Temurin (50 MB) into ${cache}, once`,
  );
  try {
    await install(await findPackage(source, platform), runtime);
  } catch (error) {
    throw javaIsMissing(`Fetching one from ${source} failed (${reasonOf(error)}).`);
  }
  return java;
};

/** The oldest version that DynamoDB Local supports. */
const oldestVersion = 17;

const installLines: Partial<Record<NodeJS.Platform, string>> = {
  darwin: `brew install --cask temurin@${version}`,
  linux: `sudo apt-get install --yes default-jre-headless (or: sudo dnf install java-${version}-openjdk-headless)`,
  win32: `winget install EclipseAdoptium.Temurin.${version}.JRE`,
};

export const javaIsMissing = (whyNoneIsFetched: string) =>
  new UserFacingError(
    `DynamoDB Local needs Java ${oldestVersion} or newer, and \`java\` on the PATH is older or missing. ${whyNoneIsFetched} ` +
      `Install it: ${installLines[process.platform] ?? 'see https://adoptium.net'}. ` +
      'Or name the endpoint of a DynamoDB Local that already runs.',
    'dynamoDbEndpoint',
  );

const cacheDirectory = (): string =>
  process.env.XDG_CACHE_HOME || join(homedir(), process.platform === 'darwin' ? 'Library/Caches' : '.cache');

type Platform = { readonly os: string; readonly architecture: string };

const platformOfAdoptium = (): Platform | undefined => {
  const os = { linux: 'linux', darwin: 'mac' }[process.platform as string];
  const architecture = { x64: 'x64', arm64: 'aarch64' }[process.arch as string];
  return os && architecture ? { os, architecture } : undefined;
};

type Package = { readonly link: string; readonly checksum: string };

/** Returns the link and SHA-256 of the latest release, from `GET /v3/assets/latest/…` of https://api.adoptium.net. */
const findPackage = async (source: string, platform: Platform): Promise<Package> => {
  const query = new URLSearchParams({ ...platform, image_type: 'jre', vendor: 'eclipse' });
  const response = await fetchWhole(new URL(`/v3/assets/latest/${version}/hotspot?${query}`, source));
  const [release] = (await response.json()) as readonly { readonly binary?: { readonly package?: Partial<Package> } }[];
  const { link, checksum } = release?.binary?.package ?? {};
  if (!link || !checksum) throw new Error('it names no runtime with a checksum');
  return { link, checksum };
};

const download = async ({ link, checksum }: Package, file: string): Promise<void> => {
  const { body } = await fetchWhole(new URL(link));
  if (!body) throw new Error(`${link} is empty`);
  const hash = createHash('sha256');
  const hashing = new Transform({
    transform: (chunk, _, done) => {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  await pipeline(Readable.fromWeb(body), hashing, createWriteStream(file));
  if (hash.digest('hex') !== checksum)
    throw new Error(`${link} has another checksum than the ${checksum} it should have`);
};

/** Unpacks the package in a temporary folder and moves it into place when it is complete. */
const install = async (from: Package, runtime: string): Promise<void> => {
  mkdirSync(dirname(runtime), { recursive: true });
  const beside = mkdtempSync(`${runtime}-fetching-`);
  try {
    const archive = join(beside, 'runtime.tar.gz');
    await download(from, archive);
    const unpacked = join(beside, 'unpacked');
    mkdirSync(unpacked);
    await promisify(execFile)('tar', ['-xzf', archive, '-C', unpacked, '--strip-components=1']);
    moveUnlessThere(unpacked, runtime);
  } finally {
    rmSync(beside, { recursive: true, force: true });
  }
};

const fetchWhole = async (url: URL): Promise<Response> => {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answers ${response.status}`);
  return response;
};

/** Moves the runtime, unless another run has installed one meanwhile, which is just as good. */
const moveUnlessThere = (from: string, to: string): void => {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!existsSync(to)) throw error;
  }
};

/** Returns the reason of an error in one line. `fetch` has it in the error's cause, and `tar` on its stderr. */
const reasonOf = (error: unknown): string => {
  const { message, cause, stderr } = error as Error & { readonly stderr?: string };
  const reason = stderr || (cause instanceof Error && cause.message) || message;
  return reason.trim().replaceAll(/\s*\n\s*/g, '; ');
};
