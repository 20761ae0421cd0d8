import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { issueServerCertificate, serverCertificateIn } from '../../src/host/certificates.ts';
import { temporaryDirectory } from '../fixture.ts';

const nowMs = Date.parse('2026-05-01T00:00:00Z');
const dayMs = 24 * 60 * 60 * 1000;

describe('the certificate of the local run', async () => {
  const issued = await issueServerCertificate(nowMs);
  const ca = new X509Certificate(issued.ca);
  const server = new X509Certificate(issued.certificate);

  test('is signed by its authority, which may sign, while it may not itself', () => {
    expect([server.verify(ca.publicKey), server.checkIssued(ca), ca.ca, server.ca]).toEqual([true, true, true, false]);
  });

  test('is good for localhost and 127.0.0.1, and for nothing else', () => {
    expect(server.checkHost('localhost', { subject: 'never' })).toBe('localhost');
    expect(server.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect([server.checkHost('example.com'), server.checkIP('127.0.0.2')]).toEqual([undefined, undefined]);
  });

  test('belongs to its key and is valid for a year', () => {
    expect(server.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
    expect([server.validFromDate.getTime(), server.validToDate.getTime()]).toEqual([nowMs, nowMs + 365 * dayMs]);
  });
});

describe('it is kept as long as it is good', () => {
  const read = (directory: string) => readFileSync(join(directory, 'ca.pem'), 'utf8');

  test('the same one while it is valid for a month and more, a new one afterwards', async () => {
    const directory = temporaryDirectory();
    await serverCertificateIn(directory, nowMs);
    const first = read(directory);
    await serverCertificateIn(directory, nowMs + 300 * dayMs);
    expect(read(directory)).toBe(first);
    await serverCertificateIn(directory, nowMs + 350 * dayMs);
    expect(read(directory)).not.toBe(first);
  });

  test.each(['ca.pem', 'server.pem', 'server-key.pem'])(
    'a new one if %s is half written, or of another',
    async (name) => {
      const [directory, other] = [temporaryDirectory(), temporaryDirectory()];
      await serverCertificateIn(other, nowMs);
      await serverCertificateIn(directory, nowMs);
      const file = join(directory, name);
      for (const content of [readFileSync(file).subarray(0, 40), '', readFileSync(join(other, name))]) {
        const before = read(directory);
        writeFileSync(file, content);
        const { cert, key } = await serverCertificateIn(directory, nowMs);
        const certificate = new X509Certificate(cert);
        expect(certificate.checkPrivateKey(createPrivateKey(key))).toBe(true);
        expect(certificate.verify(new X509Certificate(read(directory)).publicKey)).toBe(true);
        expect(read(directory)).not.toBe(before);
      }
    },
  );

  test('only its owner can read the private key, and that of the authority is nowhere', async () => {
    const directory = temporaryDirectory();
    const { key } = await serverCertificateIn(directory, nowMs);
    expect(statSync(join(directory, 'server-key.pem')).mode & 0o777).toBe(0o600);
    const authority = new X509Certificate(read(directory));
    expect(key).toContain('PRIVATE KEY');
    expect(authority.checkPrivateKey(createPrivateKey(key))).toBe(false);
  });
});
