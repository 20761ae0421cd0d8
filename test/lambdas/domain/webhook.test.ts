import { describe, expect, test, vi } from 'vitest';
import { maxUrlCharacters } from '../../../lambdas/api/limits.ts';
import { isSameUrl, type WebhookUrlFault, webhookUrlFault } from '../../../lambdas/domain/webhook.ts';

const hosts = ['hooks.acme.example', 'acme.test', 'xn--bcher-kva.example'];

describe('a URL that messages may go to', () => {
  test.each([
    'https://hooks.acme.example',
    'https://hooks.acme.example/',
    'https://hooks.acme.example:443/heating',
    'https://a.b.hooks.acme.example/heating?tenant=1&x=%20',
    'https://acme.test/..;/a/../b',
    'https://HOOKS.Acme.Example/Heating',
    'HTTPS://acme.test/',
    'https://xn--bcher-kva.example/',
    'https://acme.test?only=query',
    `https://acme.test/${'x'.repeat(maxUrlCharacters - 'https://acme.test/'.length)}`,
  ])('%s', (url) => {
    expect(webhookUrlFault(url, hosts)).toBeUndefined();
  });
});

/** Spellings that lead, or may lead in some parser, to where no message may go. */
const hostile: Readonly<Record<WebhookUrlFault, readonly string[]>> = {
  'too-long': [`https://acme.test/${'x'.repeat(maxUrlCharacters)}`],
  'not-https': [
    '',
    'acme.test',
    '//acme.test/',
    'http://acme.test/',
    'ftp://acme.test/',
    'file:///etc/passwd',
    'gopher://acme.test/',
    'data:text/plain,x',
    'https:acme.test',
    'https:/acme.test',
    'wss://acme.test/',
  ],
  'not-ascii': [
    ' https://acme.test/',
    'https://acme.test/\n',
    'https://acme.test/\r\nx-evil: 1',
    'ht\ttps://acme.test/',
    'https://acme.test\\@evil.example/',
    'https:\\\\acme.test/',
    'https://evil.example\\.acme.test/',
    'https://acme。test/',
    'https://ａcme.test/',
    'https://①②⑦.0.0.1/',
    'https://acme.test\u0000.evil.example/',
    'https://acme\u00ad.test/',
    'https://аcme.test/',
  ],
  'has-fragment': ['https://acme.test/#x', 'https://acme.test#@evil.example/', 'https://evil.example#.acme.test/'],
  'has-user-info': [
    'https://user@acme.test/',
    'https://user:password@acme.test/',
    'https://acme.test@evil.example/',
    'https://acme.test:443@evil.example/',
    'https://@acme.test/',
    'https://:@acme.test/',
  ],
  'other-port': [
    'https://acme.test:8443/',
    'https://acme.test:80/',
    'https://acme.test:0/',
    'https://acme.test:0443/',
    'https://acme.test:/',
    'https://acme.test:22/x?y',
  ],
  'not-a-host-name': [
    'https://',
    'https:///acme.test/',
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0x7f.0.0.1/',
    'https://0177.0.0.1/',
    'https://017700000001/',
    'https://0/',
    'https://169.254.169.254/latest/meta-data/',
    'https://127.0.0.1.:443/',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[fe80::1%25eth0]/',
    'https://[fd00:ec2::254]/',
    'https://[64:ff9b::7f00:1]/',
    'https://acme.test./',
    'https://.acme.test/',
    'https://acme..test/',
    'https://-acme.test/',
    'https://acme-.test/',
    'https://acme_.test/',
    'https://*.acme.test/',
    'https://acme%2etest/',
    'https://%61cme.test/',
    'https://acme.test%00.evil.example/',
    'https://acme.test:443:443/',
    'https://acme.test:443x/',
    'https://localhost/',
    'https://test/',
    'https://1.acme.0x1/',
    'https://xn--.acme.test/',
    `https://${'a'.repeat(64)}.acme.test/`,
    `https://${'a.'.repeat(130)}acme.test/`,
  ],
  'host-not-registered': [
    'https://evil.example/',
    'https://evilacme.test/',
    'https://acme.test.evil.example/',
    'https://acme.example/',
    'https://test.acme/',
    'https://evil.example/acme.test',
    'https://evil.example?.acme.test',
    'https://127.0.0.1.nip.io/',
    'https://metadata.google.internal/',
    'https://foo.localhost/',
  ],
};

const cases = (Object.entries(hostile) as [WebhookUrlFault, readonly string[]][]).flatMap(([fault, urls]) =>
  urls.map((url) => ({ fault, url, shown: JSON.stringify(url).slice(0, 60) })),
);

describe('a URL that messages must not go to', () => {
  test.each(cases)('$shown: $fault', ({ url, fault }) => {
    expect(webhookUrlFault(url, hosts)).toBe(fault);
  });

  test('is any URL if no host is registered', () => {
    expect(webhookUrlFault('https://acme.test/', [])).toBe('host-not-registered');
  });

  // Some versions find no host in https://xn--a.acme.test/, and others do.
  test.each([
    ['no', null],
    ['another', new URL('https://evil.example/')],
  ])('is one in which the parser of this Node.js finds %s host', (_, parsed) => {
    vi.spyOn(URL, 'parse').mockReturnValue(parsed);
    expect(webhookUrlFault('https://acme.test/', hosts)).toBe('not-a-host-name');
  });

  test('has enough spellings to notice a change of the rules', () => {
    expect(cases.length).toBeGreaterThan(80);
  });
});

describe('a URL is the same as', () => {
  const url = 'https://hooks.acme.example/';

  test.each([
    ['itself', url, true],
    ['one without a path', 'https://hooks.acme.example', true],
    ['one with its port', 'https://hooks.acme.example:443/', true],
    ['one in capitals', 'HTTPS://HOOKS.acme.example/', true],
    ['one that goes up from a path', 'https://hooks.acme.example/a/..', true],
    ['one of another host', 'https://acme.example/', false],
    ['one with a path', 'https://hooks.acme.example/a', false],
    ['one with a query', 'https://hooks.acme.example/?a', false],
    ['a text that is no URL', 'hooks', false],
  ])('%s, %s: %s', (_, other, expected) => {
    expect(isSameUrl(url, other)).toBe(expected);
    expect(isSameUrl(other, url)).toBe(expected);
  });
});
