import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { endpoints, operationIds } from '../../lambdas/api/endpoints/endpoints.ts';
import { ratePolicies } from '../../lambdas/api/limits.ts';
import { type ProblemCode, problemDocs, problems } from '../../lambdas/api/problems.ts';
import { heatingCircuitDocs } from '../../lambdas/api/schemas/circuit.ts';
import { apiVersion } from '../../lambdas/api/version.ts';
import { changeFeed, readVersions } from '../../partner/site/change-log.ts';
import { readChapters } from '../../partner/site/chapters.ts';
import { indexForModels, wholeForModels } from '../../partner/site/models.ts';
import { menu, type Operator, pages } from '../../partner/site/pages.ts';
import { operationPages, referenceDocument, shownOperations } from '../../partner/site/reference.ts';
import { securityPolicy, securityText } from '../../partner/site/security.ts';
import { tryOutFiles, tryOutPage } from '../../partner/site/try-out/page.ts';
import { urlOption } from '../../partner/site/url-option.ts';

/** The whole guide as one text. */
const guide = readChapters()
  .map(({ markdown }) => markdown)
  .join('\n');

test('data in a page cannot end its script element', () => {
  const settings = { serverUrl: '</script><script>' };
  const page = String(tryOutFiles(settings).get(tryOutPage));
  const [, data = ''] = /<script type="application\/json" id="settings">(.*?)<\/script>/s.exec(page) ?? [];
  expect(JSON.parse(data)).toEqual(settings);
});

describe('the guide', () => {
  /** Returns the text of a problem's section, without Markdown markers. */
  const sectionOf = (code: ProblemCode) => {
    const [, afterHeading = ''] = guide.split(`<h3 id="${code}">${problems[code].status} <code>${code}</code></h3>`);
    return (afterHeading.split('<h3')[0] ?? '').replaceAll(/\*\*|`/g, '');
  };

  test.each(Object.keys(problems) as ProblemCode[])('explains %s: what happened, why, what to do', (code) => {
    const { title, detail } = problems[code];
    expect(sectionOf(code)).toContain(`${title}. ${problemDocs()[code].cause.replaceAll('`', '')}`);
    expect(sectionOf(code)).toContain(`What to do: ${detail.replaceAll('`', '')}`);
  });

  test.each<[ProblemCode, string]>([
    ['service-unavailable', 'by every operation'],
    ['consent-outdated', 'by every operation under /hvacs'],
    ['api-key-limit-reached', 'by createApiKey'],
    [
      'time-program-not-found',
      'by getHeatingTimeProgram, updateHeatingTimeProgram, getDhwTimeProgram, updateDhwTimeProgram',
    ],
    ['route-not-found', 'for a request that matches no operation'],
  ])('names what returns %s: %s', (code, source) => {
    expect(sectionOf(code)).toContain(`Returned ${source}.`);
  });

  test.each<[ProblemCode, string]>([
    ['rate-limit-exceeded', 'after Retry-After'],
    ['service-unavailable', 'after Retry-After'],
    ['internal-error', 'later'],
    ['consent-outdated', 'only after a change'],
  ])('says whether to send a request again after %s: %s', (code, whether) => {
    const [row = ''] = guide.match(new RegExp(`^\\|.*\\(#${code}\\).*$`, 'm')) ?? [];
    expect(row.replaceAll('`', '')).toContain(whether);
  });

  test('has braces only in code: elsewhere MDX interprets them as expressions', () => {
    const prose = guide.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '');
    expect(prose.split('\n').filter((line) => /[{}]/.test(line))).toEqual([]);
  });

  test('shows the members of a problem with their meaning, and an example', () => {
    const section = sectionOf('consent-outdated');
    expect(section).toMatch(/requiredConsentVersion \| The consent version that the owner must accept\./);
    expect(section).toContain('"acceptedConsentVersion": 2');
  });

  test.each(Object.entries(ratePolicies))(
    'has the numbers of the rate policy %s, and its operations',
    (policy, limit) => {
      expect(guide).toContain(`| \`${policy}\` | ${limit.burst} | ${limit.refillIntervalMs / 1000} s |`);
      const counted = operationIds.filter((operationId) => endpoints[operationId].ratePolicy === policy);
      expect(guide.replaceAll('`', '')).toContain(`${policy} applies to ${counted.join(', ')}.`);
    },
  );

  test('has every chapter file', () => {
    const written = readdirSync('partner/guide').filter((file) => file.endsWith('.md') && file !== 'index.md');
    expect(
      readChapters()
        .map(({ name }) => `${name}.md`)
        .toSorted(),
    ).toEqual(written.toSorted());
  });

  test('has a menu entry for each chapter, and for common search words', () => {
    const entries = menu().flatMap(({ items }) => items);
    expect(entries.map(({ link }) => link)).toEqual(readChapters().map(({ name }) => `guide/${name}.html`));
    expect(entries.map(({ label }) => label)).toEqual(
      expect.arrayContaining([
        ...['Authentication', 'Pagination', 'Errors', 'Idempotency', 'Rate limits', 'Webhooks', 'API keys', 'Security'],
        ...['Versioning and change log', 'Testing and sandbox', 'Client libraries'],
      ]),
    );
  });

  test('says on the first page whom to ask, with the addresses of the operator if the build has them', () => {
    const linesOf = (operator?: Operator) =>
      pages(operator)[0]?.markdown.split('## Become a partner\n')[1]?.split('\n\n');
    const [ask = '', ...more] = linesOf() ?? [];
    expect(ask).toMatch(/^A partner is .*Ask the operator .*where it reports incidents/s);
    expect(more).toEqual([]);
    expect(
      linesOf({ contact: 'mailto:partners@example.com?subject=Key', statusUrl: 'https://status.example.com/' }),
    ).toEqual([
      ask.trimEnd(),
      'The operator’s contact is [partners@example.com](mailto:partners@example.com?subject=Key).',
      'The operator reports incidents on [status.example.com](https://status.example.com/).',
    ]);
  });

  test('has no marks of generated passages', () => {
    for (const { mdx, markdown } of pages()) expect(markdown + mdx).not.toContain('<!--');
  });
});

describe('examples in several languages', () => {
  const mdx = (name: string) => pages().find((page) => page.name === `guide/${name}`)?.mdx ?? '';

  test('become tabs if they directly follow one another', () => {
    expect(mdx('webhooks').match(/<TabItem label="\w+">\n\n```\w+/g)).toContain(
      '<TabItem label="Python">\n\n```python',
    );
    expect(mdx('errors')).not.toContain('<TabItem');
  });

  test('are in the reference for each operation, without optional headers', () => {
    const { paths } = referenceDocument(undefined) as { paths: Record<string, Record<string, object>> };
    const samples = Object.values(paths).flatMap((item) =>
      Object.values(item).flatMap((operation) => ('x-codeSamples' in operation ? [operation['x-codeSamples']] : [])),
    );
    expect(samples).toHaveLength(operationIds.length);
    expect(JSON.stringify(samples)).not.toMatch(/undefined|if-match|idempotency-key/i);
  });

  test('show the answer of each operation, from the examples of the document', () => {
    const shown = shownOperations();
    expect(Object.keys(shown).map((name) => `reference/operations/${name}`)).toEqual(
      operationPages().map(({ name }) => name),
    );
    expect(shown.deletewebhook).toMatchObject({ group: 'Webhooks', answer: 'HTTP/1.1 204 No Content' });
    const [head = '', body = ''] = shown.getheatingcircuit?.answer.split('\n\n') ?? [];
    expect(head).toBe('HTTP/1.1 200 OK\ncontent-type: application/json');
    expect(JSON.parse(body)).toEqual(heatingCircuitDocs().example);
    expect(shown.updateheatingcircuit?.answer).toContain('"state": "pending"');
  });

  test('list only the problems of an operation, each with a link to its section of the guide', () => {
    const { paths } = referenceDocument(undefined) as { paths: Record<string, Record<string, Described>> };
    const { responses } = paths['/api-keys']?.post ?? {};
    expect(responses?.[409]).toEqual({
      description: expect.stringContaining(
        '[`idempotency-key-spent`](../../guide/errors.html#idempotency-key-spent): ',
      ),
    });
    expect(responses?.[201]).toHaveProperty('content');
  });

  test('list only the headers that some operations lack: one page has the others', () => {
    const { paths } = referenceDocument(undefined) as { paths: Record<string, Record<string, Described>> };
    expect(paths['/api-keys']?.post?.responses[201]).toMatchObject({
      headers: { Location: expect.anything() },
      description: expect.stringContaining('[headers of every response](../headers.html)'),
    });
    const { markdown } = pages().find(({ name }) => name === 'reference/headers') ?? {};
    for (const name of ['x-request-id', 'RateLimit', 'x-api-key-expires-at']) {
      expect(markdown).toContain(`| \`${name}\` | `);
      expect(paths['/api-keys']?.post?.responses[201]).not.toHaveProperty(['headers', name]);
    }
  });

  test('show each alternative of a value with its name and the common description', () => {
    const { components } = referenceDocument(undefined) as { components: { schemas: Record<string, Shown> } };
    const { anyOf } = components.schemas.HeatingOverrideUpdate?.properties?.until ?? {};
    const description = expect.stringMatching(/^When the override ends/);
    expect(anyOf).toMatchObject([
      { title: 'date-time', description },
      { title: 'next-switch-point', description },
    ]);
  });
});

describe('for models', () => {
  const site = 'https://developers.example.com/at/';

  test('llms.txt links to the Markdown of every page, including the operations', () => {
    const links = [...indexForModels(site).matchAll(/\((\S+)\.md\)/g)].map(([, link]) => link);
    expect(links).toEqual([...pages().slice(1), ...operationPages()].map(({ name }) => `${site}${name}`));
    expect(operationPages()).toHaveLength(operationIds.length);
  });

  test('llms.txt starts with how to call the API, and states the size of the large files', () => {
    const [head = '', rest = ''] = indexForModels(site).split('## Guide');
    for (const fact of ['/v1', 'x-api-key', 'x-user-id', 'Retry-After', 'GET /events']) expect(head).toContain(fact);
    for (const file of ['openapi.json', 'llms-full.txt'])
      expect(rest).toMatch(new RegExp(`\\(${site}${file}\\) \\(\\d+ kB\\)`));
  });

  test('llms-full.txt has every page', () => {
    const whole = wholeForModels();
    for (const { markdown } of [...pages(), ...operationPages()]) expect(whole).toContain(markdown.trim());
  });

  test.each(operationPages())('$name has the properties of bodies, its problems, and is short', ({ markdown }) => {
    const shown = JSON.parse(/## In the API document[^{]*(\{.*?)\n```/s.exec(markdown)?.[1] ?? '');
    for (const { content } of [shown.requestBody ?? {}, shown.answer])
      if (content) expect(content['application/json'].schema.properties).toBeDefined();
    expect(markdown).toContain('- 401 `api-key-missing`: ');
    expect(markdown.length).toBeLessThan(27_500);
  });
});

type Described = { readonly responses: Readonly<Record<string, object>> };
type Shown = { readonly properties?: Record<string, Shown>; readonly anyOf?: readonly object[] };

describe('the change log', () => {
  const changeLog = readFileSync('CHANGELOG.md', 'utf8');

  test('begins with the version of the header x-api-version', () => {
    expect(/^## \[(\S+)\]/m.exec(changeLog)?.[1]).toBe(apiVersion);
  });

  test('has the format of Keep a Changelog, newest version first and each release with its date', () => {
    const versions = readVersions();
    const minors = versions.map(({ version }) => Number(/^1\.(\d+)$/.exec(version)?.[1]));
    expect(minors).toEqual(minors.map((_, index) => minors.length - 1 - index));
    const days = versions.slice(1).map(({ date }) => date ?? '');
    expect(days).toEqual(days.toSorted().reverse());
    for (const { markdown } of versions)
      for (const [, kind] of markdown.matchAll(/^### (.*)$/gm))
        expect(['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security']).toContain(kind);
    for (const { version, markdown } of versions) expect(markdown, version).toMatch(/^### /m);
  });

  test('becomes a feed of the released versions', () => {
    const [newest] = readVersions();
    const versions = [
      { version: '1.2', date: undefined, markdown: '' },
      { version: '1.1', date: '2027-03-01', markdown: newest?.markdown ?? '' },
      { version: '1.0', date: '2027-02-01', markdown: '**Keys** & more' },
    ];
    const nowMs = Date.parse('2027-04-01');
    const site = 'https://developers.example.com/at/';
    const feed = changeFeed(site, nowMs, versions);
    expect([...feed.matchAll(/<title>Version (\S+)<\/title>/g)].map(([, version]) => version)).toEqual(['1.1', '1.0']);
    expect(feed).toContain('<updated>2027-03-01T00:00:00Z</updated>');
    expect(changeFeed(site, nowMs, versions.slice(0, 1))).toContain('<updated>2027-04-01T00:00:00Z</updated>');
    expect(feed.replaceAll(/<\/?(feed|id|title|updated|author|name|link|entry|content)( [^<>]*)?>/g, '')).not.toMatch(
      /<(?!\?xml)/,
    );
  });
});

describe('security.txt', () => {
  const nowMs = Date.parse('2026-11-26T12:00:00Z');
  const textOf = (contact: string) => securityText('https://developers.example.com/', contact, nowMs);

  test('names the contact, and expires within a year of the build', () => {
    const text = textOf('mailto:security@example.com');
    expect(text).toMatch(/^Contact: mailto:security@example\.com\n/);
    const [, expires = ''] = /^Expires: (\S+Z)$/m.exec(text) ?? [];
    expect(Date.parse(expires)).toBeGreaterThan(nowMs);
    expect(Date.parse(expires)).toBeLessThan(nowMs + 365 * 86_400_000);
    expect(text).toContain('\nPolicy: https://developers.example.com/security.md\n');
  });

  test('links to a policy with the supported versions and how to report', () => {
    expect(securityPolicy()).toMatch(/## Reporting.+## Supported versions/s);
  });

  test.each([
    ...['security@example.com', 'http://example.com/report', 'javascript:alert(1)', ''],
    ...[
      'tel:+49 30 1234567',
      'mailto:P <p@example.com>',
      'https://example.com/{process.version}',
      'https://example.com/)',
    ],
  ])('rejects an option like "%s"', (contact) => {
    expect(() => urlOption('contact', contact, ['https:', 'mailto:', 'tel:'])).toThrow(
      `--contact: expected a URL without blanks and brackets that begins with https:, mailto: or tel:, got "${contact}".`,
    );
  });
});
