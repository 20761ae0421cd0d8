import { hostNamePattern } from '../../api/host-name.ts';
import { maxUrlCharacters } from '../../api/limits.ts';

/** What forbids to send anything to a URL, and what was expected of it. */
export const webhookUrlFaults = {
  'too-long': `Expected at most ${maxUrlCharacters} characters.`,
  'not-ascii': 'Expected ASCII characters without spaces, control characters and backslashes.',
  'not-https': 'Expected a URL that begins with https://.',
  'has-fragment': 'Expected a URL without a fragment.',
  'has-user-info': 'Expected a URL without a user name or password.',
  'other-port': 'Expected port 443, which a URL does not need to name.',
  'not-a-host-name':
    'Expected a host name such as hooks.example.com: no address in any spelling, and no dot at its end.',
  'host-not-registered': 'Expected a host that is registered for the company, or one below it.',
} as const;

export type WebhookUrlFault = keyof typeof webhookUrlFaults;

/**
 * What forbids to send to the URL, or undefined if nothing does. It judges the text, and not what a parser makes of it:
 * parsers read `0x7f.1`, `①②⑦.0.0.1` and `https:\\host` each in their own way, so none of these may pass. Looking up
 * the name is left to the sender, which does so at each attempt.
 */
export const webhookUrlFault = (url: string, hosts: readonly string[]): WebhookUrlFault | undefined => {
  if (url.length > maxUrlCharacters) return 'too-long';
  if (!/^[!-[\]-~]*$/.test(url)) return 'not-ascii';
  if (!url.toLowerCase().startsWith(scheme)) return 'not-https';
  if (url.includes('#')) return 'has-fragment';
  const [authority = ''] = url.slice(scheme.length).split(/[/?]/, 1);
  if (authority.includes('@')) return 'has-user-info';
  const [, name = '', port] = /^(.*?)(?::(\d*))?$/.exec(authority) ?? [];
  const host = name.toLowerCase();
  // The parser that the sender uses has to find the same host, and one at all.
  if (!hostNamePattern.test(host) || URL.parse(url)?.hostname !== host) return 'not-a-host-name';
  if (port !== undefined && port !== '443') return 'other-port';
  return hosts.some((registered) => host === registered || host.endsWith(`.${registered}`))
    ? undefined
    : 'host-not-registered';
};

const scheme = 'https://';
