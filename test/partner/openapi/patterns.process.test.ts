import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { hasPython } from '../../support/service.ts';

/** Returns every object of a document that is the schema of a text. */
const textSchemasIn = (value: unknown): Record<string, unknown>[] => {
  if (typeof value !== 'object' || value === null) return [];
  const inside = Object.values(value).flatMap(textSchemasIn);
  return 'pattern' in value || 'format' in value ? [value as Record<string, unknown>, ...inside] : inside;
};

const files = ['docs/openapi.json', 'docs/events.json', 'docs/owner-export.schema.json'];
const schemas = files.flatMap((file) => textSchemasIn(JSON.parse(readFileSync(file, 'utf8'))));
const patterns = [...new Set(schemas.flatMap(({ pattern }) => (typeof pattern === 'string' ? [pattern] : [])))];

const classMember = String.raw`(?:\\x[0-9A-F]{2}|[^\\\][^&~\x00-\x1f\x7f-\uffff])`;
const characterClass = new RegExp(String.raw`\[\^?(?:${classMember}(?:-(?:~|${classMember}))?)+\]`, 'g');
const escaped = /\\[.*+?()[\]{}|^$]/g;
const once = String.raw`[^\\()[\]{}|^$.*+?\x00-\x1f\x7f-\uffff](?:[*+?]|\{\d+(?:,\d*)?\})?`;
const group = new RegExp(String.raw`\((?:\?:)?(?:${once})+(?:\|(?:${once})+)*\)`, 'g');

/**
 * Whether ECMA-262 without flags, Python's re, Java, .NET, RE2 and Rust's regex read the pattern alike, whether they search or
 * match the whole text: it begins with ^ and ends with $, and has ASCII characters, classes of them, groups, alternatives
 * and repetitions. Python, Java and .NET allow a line break after $, which lets one more text pass and none less. RE2 repeats
 * up to 1,000 times.
 */
const isPortable = (pattern: string): boolean => {
  const [, inside] = /^\^(.*)\$$/.exec(pattern) ?? [];
  if (
    inside === undefined ||
    inside.includes('--') ||
    Array.from(inside.matchAll(/\d+(?=[,}])/g), Number).some((times) => times > 1000)
  )
    return false;
  let rest = inside.replaceAll(characterClass, 'c').replaceAll(escaped, 'c');
  for (let former = ''; former !== rest; ) [former, rest] = [rest, rest.replaceAll(group, 'c')];
  return new RegExp(`^(?:${once})+$`).test(rest);
};

test.each(patterns)('the regular expressions of all languages read %s alike', (pattern) => {
  expect(isPortable(pattern)).toBe(true);
});

const others = String.raw`
  Z$ ^a a|b ^a|b$ ^(a$ ^\d$ ^[\w]$ ^\p{L}$ ^[^\p{Cc}]$ ^\u0041$ ^[\u0041]$ ^\/$ ^a.b$ ^a\b$ ^ä$ ^[ä]$ ^[a&&b]$ ^[a--b]$ ^[[a]]$
  ^(?=a)b$ ^(?<n>a)$ ^(a)\1$ ^a+?$ ^a{1,2040}$`;

test.each(others.trim().split(/\s+/))('the check of the patterns finds %s', (pattern) => {
  expect(isPortable(pattern)).toBe(false);
});

test.skipIf(!hasPython)('Python compiles each pattern without a warning (needs python3)', () => {
  const program = 'import json, re, sys\nfor each in json.load(sys.stdin): re.compile(each)';
  const input = JSON.stringify(patterns);
  const { status, stderr } = spawnSync('python3', ['-W', 'error', '-c', program], { input, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

test('a date, a time and a URL have no rule of texts, which generated programs would apply to another type', () => {
  const formatted = schemas.filter(({ format }) => ['date', 'date-time', 'uri'].includes(String(format)));
  expect(formatted.length).toBeGreaterThan(150);
  expect(formatted.filter((schema) => 'pattern' in schema || 'maxLength' in schema)).toEqual([]);
});
