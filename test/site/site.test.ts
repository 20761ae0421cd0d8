import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { operationIds } from '../../lambdas/api/endpoints.ts';
import { problems } from '../../lambdas/api/problems.ts';
import { rateClasses } from '../../lambdas/api/rate-classes.ts';
import { apiVersion } from '../../lambdas/api/version.ts';
import { inserts, withInserts } from '../../site/inserts.ts';
import { dataHtml } from '../../site/layout.ts';
import { allLimitsTable } from '../../site/limits.ts';
import { siteFiles } from '../../site/site.ts';

const files = siteFiles();
const pages = [...files].filter(([, { mediaType }]) => mediaType.startsWith('text/html'));
const guide = String(files.get('index.html')?.content);

const valuesOf = (html: string, attribute: string) =>
  [...html.matchAll(new RegExp(`\\b${attribute}="([^"]*)"`, 'g'))].map(([, value = '']) => value);

describe.each(pages)('%s', (_, { content }) => {
  const html = String(content);

  test('refers to nothing but its own files and places', () => {
    const ids = new Set(valuesOf(html, 'id'));
    const targets = [...valuesOf(html, 'href'), ...valuesOf(html, 'src')];
    expect(targets.length).toBeGreaterThan(5);
    const missing = targets.filter((target) =>
      target.startsWith('#') ? !ids.has(target.slice(1)) : !files.has(target),
    );
    expect(missing).toEqual([]);
  });

  test('has no id twice', () => {
    const ids = valuesOf(html, 'id');
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  test('has neither script nor style of its own, which its policy would stop', () => {
    const scripts = [...html.matchAll(/<script([^>]*)>/g)].map(([, attributes = '']) => attributes);
    expect(scripts.filter((each) => !each.includes('src=') && !each.includes('type="application/json"'))).toEqual([]);
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+="/);
  });
});

test('data in a page cannot end its element', () => {
  const html = dataHtml('data', { text: '</script><script>' });
  expect(html.match(/<\/?script/g)).toEqual(['<script', '</script']);
  expect(JSON.parse(html.replace(/^<.*?>|<\/script>$/g, ''))).toEqual({ text: '</script><script>' });
});

describe('the guide', () => {
  test.each(Object.entries(problems))(
    'explains %s: what happened, why, what to do',
    (code, { status, title, detail }) => {
      const [, afterHeading = ''] = guide.split(`<h4 id="errors-${code}">${status} <code>${code}</code></h4>`);
      const [section = ''] = afterHeading.split('<h4');
      const words = section
        .replaceAll(/<[^>]+>/g, '')
        .replaceAll('&#39;', "'")
        .replaceAll('&quot;', '"');
      expect(words).toContain(`${title}. `);
      expect(words).toContain(`What to do: ${detail.replaceAll('`', '')}`);
      expect(words).toMatch(/Answered by .+\./);
    },
  );

  test.each(Object.entries(rateClasses))('has the numbers of the rate policy %s', (policy, limit) => {
    const [row = ''] = guide.match(new RegExp(`<tr>\\s*<td><code>${policy}</code>.*?</tr>`, 's')) ?? [];
    expect(row).toContain(`<td>${limit.burst}</td>`);
    expect(row).toContain(`<td>${limit.refillIntervalMs / 1000} s</td>`);
  });

  test('says of every operation which rate policy counts it', () => {
    for (const operationId of operationIds) expect(guide).toContain(`<code>${operationId}</code>`);
  });

  test('uses every insert, and asks for none that there is not', () => {
    for (const [name, text] of Object.entries(inserts)) expect(withInserts(`<!-- insert: ${name} -->`)).toBe(text());
    expect(guide).not.toContain('insert:');
    expect(() => withInserts('<!-- insert: nothing -->')).toThrow('There is no insert nothing');
  });
});

describe('the change log', () => {
  const changeLog = readFileSync('CHANGELOG.md', 'utf8');

  test('begins with the version that every answer names', () => {
    expect(/^## (\S+)/m.exec(changeLog)?.[1]).toBe(apiVersion);
  });

  test('has the limits as they are enforced: none changes without a word to partners', () => {
    expect(/(?<=\n)\| limit \|.*?(?=\n\n|\n*$)/s.exec(changeLog)?.[0]).toBe(allLimitsTable());
  });
});
