import { readFileSync } from 'node:fs';

/** RFC 9116 recommends less than a year. If a site is not rebuilt for this long, its contact may be out of date. */
const validDays = 180;

const dayMs = 86_400_000;

/**
 * Returns `.well-known/security.txt` (RFC 9116), the contact for reports of vulnerabilities. `site` is the URL of the site,
 * `contact` a URL such as `mailto:security@example.com`.
 */
export const securityText = (site: string, contact: string, nowMs: number): string =>
  [
    `Contact: ${contact}`,
    `Expires: ${new Date(nowMs + validDays * dayMs).toISOString().replace(/\.\d+Z$/, 'Z')}`,
    `Policy: ${site}security.md`,
    'Preferred-Languages: en',
    `Canonical: ${site}.well-known/security.txt`,
    '',
  ].join('\n');

/** Returns the part of SECURITY.md for reporters, without the part on how the service protects itself. */
export const securityPolicy = (): string => {
  const text = readFileSync(new URL('../../SECURITY.md', import.meta.url), 'utf8');
  return text.slice(0, text.indexOf('## What the service protects'));
};
