// The library's decorators read metadata as soon as it is loaded.
import 'reflect-metadata';
import { createPrivateKey, type webcrypto } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

export type IssuedCertificate = { readonly ca: string; readonly certificate: string; readonly privateKey: string };

const validForMs = 365 * 24 * 60 * 60 * 1000;
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const issuer = 'CN=Local run: certificate authority';

/**
 * Issues a certificate for these host names and 127.0.0.1 from an authority of its own, all in PEM. The authority's key is
 * gone when this returns: whoever trusts it trusts this one certificate.
 */
export const issueServerCertificate = async (
  nowMs: number,
  hostNames: readonly [string, ...string[]] = ['localhost'],
): Promise<IssuedCertificate> => {
  const [authority, server] = await Promise.all([newKeyPair(), newKeyPair()]);
  const validity = { notBefore: new Date(nowMs), notAfter: new Date(nowMs + validForMs), signingAlgorithm: algorithm };
  const authorityKeyId = await AuthorityKeyIdentifierExtension.create(authority.publicKey);
  const ca = await X509CertificateGenerator.createSelfSigned({
    ...validity,
    name: issuer,
    keys: authority,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
      await SubjectKeyIdentifierExtension.create(authority.publicKey),
    ],
  });
  const certificate = await X509CertificateGenerator.create({
    ...validity,
    issuer,
    subject: `CN=${hostNames[0]}`,
    publicKey: server.publicKey,
    signingKey: authority.privateKey,
    extensions: [
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension([
        ...hostNames.map((value) => ({ type: 'dns' as const, value })),
        { type: 'ip', value: '127.0.0.1' },
      ]),
      await SubjectKeyIdentifierExtension.create(server.publicKey),
      authorityKeyId,
    ],
  });
  return { ca: ca.toString('pem'), certificate: certificate.toString('pem'), privateKey: await pemOf(server) };
};

const newKeyPair = () =>
  crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>;

const pemOf = async ({ privateKey }: webcrypto.CryptoKeyPair): Promise<string> => {
  const der = Buffer.from(await crypto.subtle.exportKey('pkcs8', privateKey));
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    .export({ format: 'pem', type: 'pkcs8' })
    .toString();
};
