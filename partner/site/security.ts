import { readFileSync } from 'node:fs';

/** RFC 9116 recommends less than a year. A site that is not built anew for so long has no contact that anybody checks. */
const validDays = 180;

const dayMs = 86_400_000;

/**
 * `.well-known/security.txt` (RFC 9116): whom to tell about a weakness. `site` is the URL of the site, `contact` a URL, such as
 * `mailto:security@example.com`.
 */
export const securityText = (site: string, contact: string, nowMs: number): string => {
  const { protocol } = new URL(contact);
  if (!['https:', 'mailto:', 'tel:'].includes(protocol))
    throw new Error(`Expected a contact that begins with https:, mailto: or tel:, got ${contact}.`);
  return [
    `Contact: ${contact}`,
    `Expires: ${new Date(nowMs + validDays * dayMs).toISOString().replace(/\.\d+Z$/, 'Z')}`,
    `Policy: ${site}security.md`,
    'Preferred-Languages: en',
    `Canonical: ${site}.well-known/security.txt`,
    '',
  ].join('\n');
};

/** What SECURITY.md says to those who report: not how the service protects itself. */
export const securityPolicy = (): string => {
  const text = readFileSync(new URL('../../SECURITY.md', import.meta.url), 'utf8');
  return text.slice(0, text.indexOf('## What the service protects'));
};
