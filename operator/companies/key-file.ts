import { closeSync, fsyncSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import * as z from 'zod';
import { decodeLines } from '../../config/text-file.ts';
import { isTrial } from '../../config/trial.ts';
import { keyLifetimeMonths } from '../../lambdas/api/limits.ts';
import { generateKey, inspectKey, type NewKey, parseKey } from '../../lambdas/domain/api-key.ts';
import { addMonths } from '../../lambdas/domain/time.ts';
import { flag } from '../cli/command.ts';
import type { OperatorContext } from '../cli/context.ts';
import { decodeNamed } from '../cli/text-file.ts';
import { OperatorError } from '../error.ts';

/** The options of commands that issue a key. */
export const keyFileOptions = {
  keyFile: {
    summary: 'the file for the key, readable only by you; default: <companyId>.<stage>.key',
    placeholder: 'file',
    schema: z.string().optional(),
  },
  showKey: flag('show the key once on this terminal, and write no file'),
};

type Options = { readonly companyId: string; readonly keyFile?: string | undefined; readonly showKey: boolean };

/** Returns the absolute path. The default name contains the stage, so that keys of different stages are not confused. */
export const keyFileOf = ({ host, stage }: OperatorContext, { companyId, keyFile, showKey }: Options): string => {
  if (showKey && !host.isTerminal)
    throw new OperatorError('usage', '--show-key needs a terminal; without it, the key goes to a file.');
  return resolve(host.directory, keyFile ?? `${companyId}.${stage}.key`);
};

/**
 * Returns the key that an earlier run left in the file, registered or not; undefined if there is no file, or an empty one from
 * a run that was interrupted before it wrote the key.
 */
export const readKeyFile = (file: string, companyId: string): NewKey | undefined => {
  const text = readIfThere(file)?.trim();
  if (!text) return undefined;
  const refuse = (what: string) =>
    new OperatorError('refused', `${file} ${what} Move it away, or name another --key-file.`);
  const presented = parseKey(text);
  const inspected = inspectKey(text);
  if (!presented || !inspected) throw refuse('exists, and holds no API key.');
  if (presented.companyId !== companyId) throw refuse(`holds a key of ${presented.companyId}.`);
  if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0)
    throw refuse('holds a key that others on this machine can read.');
  const { keyId, hash } = presented;
  const { expiresAtMs } = inspected;
  const createdAtMs = addMonths(expiresAtMs, -keyLifetimeMonths);
  return { apiKey: text, companyId, keyId, hash, createdAtMs, expiresAtMs };
};

/** Generates a key and writes it to the disk, before it is registered anywhere. Never overwrites another key. */
export const createKeyFile = (file: string, companyId: string, nowMs: number): NewKey => {
  const key = generateKey(companyId, nowMs);
  if (readIfThere(file)?.trim() === '') rmSync(file);
  const descriptor = openSync(file, 'wx', 0o600);
  writeFileSync(descriptor, `${key.apiKey}\n`);
  fsyncSync(descriptor);
  closeSync(descriptor);
  return key;
};

/** Removes the file of a key that was not registered or was shown on the terminal. */
export const removeKeyFile = (file: string): void => rmSync(file);

/** Hands over a registered key: in its file, or once on the terminal. Returns the path of the file; null if it is removed. */
export const deliverKey = (context: OperatorContext, file: string, { apiKey }: NewKey, showKey: boolean) => {
  if (!showKey) {
    // The key of a trial stays with the person who runs this program.
    const next = isTrial(context.stage) ? '' : ' Send it over a secure channel, then delete the file.';
    context.talk(`The key is in ${file}.${next}`);
    return file;
  }
  context.talk(`The key, shown this once:\n\n${apiKey}\n`);
  removeKeyFile(file);
  return null;
};

const readIfThere = (file: string): string | undefined => {
  try {
    return decodeNamed(file, decodeLines, readFileSync(file));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code === 'EISDIR')
      throw new OperatorError(
        'usage',
        `${file} is a folder. Name a file for --key-file, for example one in that folder.`,
      );
    throw error;
  }
};
