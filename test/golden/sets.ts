import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OperationId } from '../../lambdas/api/endpoints/endpoints.ts';
import type { QueueName } from '../../lambdas/api/queues.ts';
import type { TableName } from '../../lambdas/api/tables.ts';
import type { CallOptions } from '../support/call.ts';

/** What a version wrote and answered; each member is in a file of its name. */
export type Golden = {
  /** All rows of the tables at the end. */
  readonly items: Readonly<Record<TableName, readonly Readonly<Record<string, unknown>>[]>>;
  /** One stream record for each kind of change, by table. */
  readonly records: Readonly<Record<string, readonly object[]>>;
  /** The messages on each queue and on the bus of notices, one of each type. */
  readonly messages: Readonly<Record<QueueName | 'notices', readonly { readonly body: string }[]>>;
  /** Requests in a valid order, with their answers: repeats, reads, and pages by cursor. */
  readonly answers: readonly Answered[];
  /** The configuration file of a stage. */
  readonly configuration: Readonly<Record<string, unknown>>;
};

export type Answered = {
  readonly operationId: OperationId;
  readonly request: CallOptions;
  readonly status: number;
  readonly body: unknown;
};

const subjects = ['items', 'records', 'messages', 'answers', 'configuration'] as const satisfies (keyof Golden)[];

export const folderOf = (version: string): string => join(import.meta.dirname, version);

const fileOf = (version: string, subject: string): string => join(folderOf(version), `${subject}.json`);

/** The versions with a kept set, by their folders. */
export const keptVersions: readonly string[] = readdirSync(import.meta.dirname).filter((name) =>
  existsSync(fileOf(name, 'items')),
);

export const readGolden = (version: string): Golden =>
  Object.fromEntries(
    subjects.map((subject) => [subject, JSON.parse(readFileSync(fileOf(version, subject), 'utf8'), fromJson)]),
  ) as Golden;

/** Returns whether a version was handed out: its heading in CHANGELOG.md then has a date. */
export const isReleased = (version: string): boolean =>
  !readFileSync(join(import.meta.dirname, '../../CHANGELOG.md'), 'utf8').includes(`## [${version}] - unreleased\n`);

/** What to do if today's code writes something that the set of its version lacks. */
export const remedyOfNewest = (version: string): string =>
  isReleased(version)
    ? `CHANGELOG.md says that ${version} is released, so its set never changes: raise the minor of apiVersion in lambdas/api/version.ts, begin CHANGELOG.md with "## [<new version>] - unreleased", and run npm run golden.`
    : `CHANGELOG.md says that ${version} is unreleased: run npm run golden, which writes its set anew.`;

/** Keeps a set in place of that of the same unreleased version. Throws if the version is released. */
export const keepGolden = (version: string, golden: Golden): void => {
  if (keptVersions.includes(version) && isReleased(version))
    throw new Error(`test/golden/${version} is kept as ${version} wrote it. ${remedyOfNewest(version)}`);
  rmSync(folderOf(version), { recursive: true, force: true });
  mkdirSync(folderOf(version), { recursive: true });
  for (const subject of subjects)
    writeFileSync(fileOf(version, subject), `${JSON.stringify(golden[subject], toJson, 1)}\n`);
};

/** Returns the time of the last request. */
export const endOf = ({ answers }: Golden): number => Math.max(...answers.map(({ request: { nowMs = 0 } }) => nowMs));

/** Returns a line for each file of a set, in the format of `sha256sum`. */
export const digestsOf = (version: string): string[] =>
  readdirSync(folderOf(version))
    .sort()
    .map((name) => {
      const digest = createHash('sha256').update(readFileSync(join(folderOf(version), name)));
      return `${digest.digest('hex')}  test/golden/${version}/${name}`;
    });

/** Encodes bytes and sets, which JSON lacks. */
const toJson = (_: string, value: unknown) => {
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString('base64') };
  return value instanceof Set ? { $set: [...value] } : value;
};

const fromJson = (_: string, value: { $bytes?: string; $set?: readonly unknown[] } | null) => {
  if (value?.$bytes !== undefined) return Uint8Array.from(Buffer.from(value.$bytes, 'base64'));
  return value?.$set === undefined ? value : new Set(value.$set);
};
