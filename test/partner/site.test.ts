import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { endpoints, operationIds } from '../../lambdas/api/endpoints/endpoints.ts';
import { ratePolicies } from '../../lambdas/api/limits.ts';
import { type ProblemCode, problemDocs, problems } from '../../lambdas/api/problems.ts';
import { apiVersion } from '../../lambdas/api/version.ts';
import { inserts, withInserts } from '../../partner/site/chapters.ts';
import { dataHtml, referencePage, type TryOut } from '../../partner/site/pages.ts';
import { siteFiles } from '../../partner/site/site.ts';

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

describe('the reference', () => {
  const noteOf = (tryOut?: TryOut) => /<p class="note">(.*?)<\/p>/s.exec(referencePage(tryOut))?.[1];

  test.each<[string, TryOut | undefined]>([
    ['The key of the demo company acme is filled in', { serverUrl: '/v1', apiKey: 'key' }],
    ['paste an API key first', { serverUrl: '/v1' }],
    ['run the service on your own machine', undefined],
  ])('says what a reader can do to try: %s', (words, tryOut) => {
    expect(noteOf(tryOut)).toContain(words);
  });
});

test('data in a page cannot end its element', () => {
  const html = dataHtml('data', { text: '</script><script>' });
  expect(html.match(/<\/?script/g)).toEqual(['<script', '</script']);
  expect(JSON.parse(html.replace(/^<.*?>|<\/script>$/g, ''))).toEqual({ text: '</script><script>' });
});

describe('the guide', () => {
  const textOf = (html: string) =>
    html
      .replaceAll(/<[^>]+>/g, '')
      .replaceAll('&#39;', "'")
      .replaceAll('&quot;', '"')
      .replaceAll('&amp;', '&');

  /** What stands under the heading of a problem. */
  const sectionOf = (code: ProblemCode) => {
    const [, afterHeading = ''] = guide.split(
      `<h4 id="errors-${code}">${problems[code].status} <code>${code}</code></h4>`,
    );
    return textOf(afterHeading.split('<h')[0] ?? '');
  };

  test.each(Object.keys(problems) as ProblemCode[])('explains %s: what happened, why, what to do', (code) => {
    const { title, detail } = problems[code];
    expect(sectionOf(code)).toContain(`${title}. ${problemDocs()[code].cause.replaceAll('`', '')}`);
    expect(sectionOf(code)).toContain(`What to do: ${detail.replaceAll('`', '')}`);
  });

  test.each<[ProblemCode, string]>([
    ['service-unavailable', 'every operation'],
    ['consent-outdated', 'every operation under /hvacs'],
    ['api-key-limit-reached', 'createApiKey'],
    [
      'time-program-not-found',
      `getHeatingTimeProgram, updateHeatingTimeProgram, getDhwTimeProgram, updateDhwTimeProgram`,
    ],
    ['route-not-found', 'a request that no operation matches'],
  ])('says of %s that it is answered by %s', (code, whom) => {
    expect(sectionOf(code)).toContain(`Answered by ${whom}.`);
  });

  test.each<[ProblemCode, string]>([
    ['rate-limit-exceeded', 'after Retry-After'],
    ['service-unavailable', 'after Retry-After'],
    ['internal-error', 'later'],
    ['consent-outdated', 'not unchanged'],
  ])('says whether to send a request again after %s: %s', (code, whether) => {
    const [row = ''] = guide.match(new RegExp(`<tr>(?:(?!</tr>).)*href="#errors-${code}".*?</tr>`, 's')) ?? [];
    expect(textOf(row)).toContain(whether);
  });

  test('shows the members of a problem with what they say, and an example', () => {
    const section = sectionOf('consent-outdated');
    expect(section).toMatch(/requiredConsentVersion\s+The consent version that the owner must accept\./);
    expect(section).toContain('"acceptedConsentVersion": 2');
  });

  test.each(Object.entries(ratePolicies))(
    'has the numbers of the rate policy %s, and its operations',
    (policy, limit) => {
      const [row = ''] = guide.match(new RegExp(`<tr>\\s*<td><code>${policy}</code>.*?</tr>`, 's')) ?? [];
      expect(row).toContain(`<td>${limit.burst}</td>`);
      expect(row).toContain(`<td>${limit.refillIntervalMs / 1000} s</td>`);
      const counted = operationIds.filter((operationId) => endpoints[operationId].ratePolicy === policy);
      expect(textOf(guide)).toContain(`${policy} applies to ${counted.join(', ')}.`);
    },
  );

  test('has every chapter that is written', () => {
    const chapters = readdirSync('partner/guide').filter((file) => file.endsWith('.md'));
    const ids = chapters.map((file) => file.replace('.md', ''));
    for (const id of ids) expect(guide).toContain(`<h2 id="${id}">`);
  });

  test('leads from one chapter to another, and to places within', () => {
    for (const link of ['#api-keys">renew it</a>', '#versions-change-log">change log</a>'])
      expect(guide).toContain(link);
  });

  test('asks for no insert that there is not, and for each that there is', () => {
    const asked = readdirSync('partner/guide')
      .map((file) => readFileSync(`partner/guide/${file}`, 'utf8'))
      .join();
    for (const name of Object.keys(inserts)) expect(asked).toContain(`<!-- insert: ${name} -->`);
    expect(guide).not.toContain('insert:');
    expect(() => withInserts('<!-- insert: nothing -->')).toThrow('There is no insert nothing');
  });
});

describe('the change log', () => {
  const changeLog = readFileSync('CHANGELOG.md', 'utf8');

  test('begins with the version that every answer names', () => {
    expect(/^## (\S+)/m.exec(changeLog)?.[1]).toBe(apiVersion);
  });
});
