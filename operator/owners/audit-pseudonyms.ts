import { isDeepStrictEqual } from 'node:util';
import { type AuditScope, readAuditSince } from '../../lambdas/data/audit.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { transact } from '../../lambdas/data/store/writes.ts';
import { erasedAuditAttributes } from '../cli/roles.ts';
import { mapConcurrently } from '../concurrent.ts';
import { readChangePages, type StoredChange } from './known-owner.ts';

/** The longest expected delay of an index, in milliseconds. Usually an index is up to date within a second. */
const indexLagMs = 5 * 60_000;

/** Reads the newest audit rows of a company with strong consistency: the index by user may not contain them yet. */
export const readRecentChanges = (store: Store, companyId: string, nowMs: number): Promise<StoredChange[]> =>
  readAuditSince(store, store.tableName('AuditLog'), companyId, nowMs - indexLagMs);

/** Returns the rows that mention an owner, whichever owner they belong to. */
export const mentionsIn = (rows: readonly StoredChange[], userId: string): StoredChange[] =>
  rows.filter((row) => changesIn(row, { userId, pseudonym: '' }).length > 0);

/** Reads the audit rows of a company or gateway that mention an owner. Reads all of its rows, one page at a time. */
export const readMentions = async (store: Store, scope: AuditScope, userId: string): Promise<StoredChange[]> => {
  const mentions: StoredChange[] = [];
  for await (const rows of readChangePages(store, scope)) mentions.push(...mentionsIn(rows, userId));
  return mentions;
};

type Pseudonym = { readonly userId: string; readonly pseudonym: string };

/**
 * Replaces the owner's id with the pseudonym everywhere in audit rows, and keeps who did what and when. Skips a row that
 * another run has changed since it was read.
 */
export const replaceInAudit = async (store: Store, rows: readonly StoredChange[], owner: Pseudonym): Promise<void> => {
  await mapConcurrently(rows, (row) => replaceInRow(store, row, owner));
};

const replaceInRow = async (store: Store, row: StoredChange, owner: Pseudonym): Promise<void> => {
  const changed = changesIn(row, owner);
  if (changed.length === 0) return;
  const each = (part: 'set' | 'seen') => changed.map(({ index }) => `#name${index} = :${part}${index}`);
  await transact(store, {
    row: {
      Update: {
        TableName: store.tableName('AuditLog'),
        Key: { subject: row.subject, sk: row.sk },
        UpdateExpression: `SET ${each('set').join(', ')}`,
        ConditionExpression: each('seen').join(' AND '),
        ExpressionAttributeNames: Object.fromEntries(changed.map(({ index, name }) => [`#name${index}`, name])),
        ExpressionAttributeValues: Object.fromEntries(
          changed.flatMap(({ index, seen, set }) => [
            [`:seen${index}`, seen],
            [`:set${index}`, set],
          ]),
        ),
      },
    },
  });
};

/** Returns the attributes of a row that mention the owner, with their current and new values. */
const changesIn = (row: StoredChange, owner: Pseudonym) =>
  erasedAuditAttributes
    .map((name, index) => ({
      index,
      name,
      seen: row[name] as unknown,
      set: valueWithPseudonym(name, row[name], owner),
    }))
    .filter(({ seen, set }) => !isDeepStrictEqual(seen, set));

/**
 * Replaces the id with the pseudonym in texts, lists and maps. In a text, dots, hyphens and underscores around the id are
 * punctuation, as are all characters that ids cannot contain. A letter or digit beyond them makes it another id. The keys of a
 * map, and values whose key is the name of an id, are compared as a whole.
 */
export const withPseudonym = (value: unknown, owner: Pseudonym): unknown => {
  if (typeof value === 'string') return inText(value, owner);
  if (Array.isArray(value)) return value.map((each) => withPseudonym(each, owner));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [asId(name, owner), valueWithPseudonym(name, each, owner)]),
  );
};

const valueWithPseudonym = (name: string, value: unknown, owner: Pseudonym): unknown =>
  userIdNames.includes(name) ? asId(value, owner) : withPseudonym(value, owner);

const userIdNames: readonly string[] = ['userId', 'formerUserId'];

const asId = (value: unknown, { userId, pseudonym }: Pseudonym): unknown => (value === userId ? pseudonym : value);

const inText = (text: string, { userId, pseudonym }: Pseudonym): string => {
  const [begin, core, end] = punctuated(userId);
  return text.replace(words, (word) => {
    if (word === userId) return pseudonym;
    const [before, inner, after] = punctuated(word);
    const isId = core !== '' && inner === core && before.endsWith(begin) && after.startsWith(end);
    return isId ? before.slice(0, before.length - begin.length) + pseudonym + after.slice(end.length) : word;
  });
};

/** Splits a word into leading punctuation, the rest, and trailing punctuation. */
const punctuated = (word: string): readonly [before: string, inner: string, after: string] => {
  const [, before = '', inner = '', after = ''] = /^([._-]*)(.*?)([._-]*)$/.exec(word) ?? [];
  return [before, inner, after];
};

/** Possible ids, with punctuation that ids may contain too. A percent-encoded character of a URL separates two ids. */
const words = /%[\da-f]{2}|[\w.-]+/gi;
