import { readFileSync } from 'node:fs';
import { marked } from 'marked';

/** A version in the change log, which has the format of Keep a Changelog. */
export type Version = {
  readonly version: string;
  /** The release date; undefined if the version is not released. */
  readonly date: string | undefined;
  readonly markdown: string;
};

/** Returns the versions of CHANGELOG.md, newest first. */
export const readVersions = (): Version[] => {
  const text = readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8');
  return text.split(/^## /m).flatMap((section) => {
    const [, version = '', date] = /^\[(\d+\.\d+)\] - (\d{4}-\d{2}-\d{2}|unreleased)\n/.exec(section) ?? [];
    if (date === undefined) return [];
    const markdown = section.slice(section.indexOf('\n')).trim();
    return [{ version, date: date === 'unreleased' ? undefined : date, markdown }];
  });
};

/**
 * Returns `changelog.xml`: the released versions as an Atom feed. `site` is the URL of the site. Before the first release, the
 * feed is empty, and as new as the site.
 */
export const changeFeed = (site: string, nowMs: number, versions = readVersions()): string => {
  const released = versions.flatMap(({ date, ...version }) => (date === undefined ? [] : [{ ...version, date }]));
  const page = `${site}guide/versions.html`;
  const entries = released.map(({ version, date, markdown }) =>
    [
      '  <entry>',
      `    <id>${page}#version-${version}</id>`,
      `    <title>Version ${version}</title>`,
      `    <updated>${date}T00:00:00Z</updated>`,
      `    <link href="${page}"/>`,
      `    <content type="html">${escaped(marked.parse(markdown, { async: false }))}</content>`,
      '  </entry>',
    ].join('\n'),
  );
  return `${[
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    `  <id>${site}changelog.xml</id>`,
    '  <title>Changes of the Partner API</title>',
    `  <updated>${released[0]?.date ?? new Date(nowMs).toISOString().slice(0, 10)}T00:00:00Z</updated>`,
    '  <author><name>Partner API</name></author>',
    `  <link rel="self" href="${site}changelog.xml"/>`,
    `  <link href="${page}"/>`,
    ...entries,
    '</feed>',
  ].join('\n')}\n`;
};

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
