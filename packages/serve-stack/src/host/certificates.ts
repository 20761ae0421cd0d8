import { createPrivateKey, type webcrypto, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from './files.ts';
import 'reflect-metadata';
import type { RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
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

type ServerCertificate = { readonly caFile: string; readonly cert: string; readonly key: string };

const renewBeforeMs = 30 * 24 * 60 * 60 * 1000;

/** Returns the file with the certificate to trust. It exists as soon as a run has started. */
export const caFileIn = (directory: string): string => join(directory, 'ca.pem');

/**
 * Returns the certificate in the directory, so that a client has to trust it only once. Issues a new one if it expires soon or
 * one of its files cannot be read.
 */
export const serverCertificateIn = async (directory: string, nowMs = Date.now()): Promise<ServerCertificate> => {
  const caFile = caFileIn(directory);
  const certificateFile = join(directory, 'server.pem');
  const keyFile = join(directory, 'server-key.pem');
  const kept = goodUntilMs(caFile, certificateFile, keyFile) - nowMs > renewBeforeMs;
  if (!kept) {
    const { ca, certificate, privateKey } = await issueServerCertificate(nowMs);
    replaceFile(caFile, ca);
    replaceFile(certificateFile, certificate);
    replaceFile(keyFile, privateKey, 0o600);
  }
  return { caFile, cert: readFileSync(certificateFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
};

/** Returns when the stored certificate expires; 0 if one of the files is missing, broken, or belongs to another certificate. */
const goodUntilMs = (caFile: string, certificateFile: string, keyFile: string): number => {
  try {
    const ca = new X509Certificate(readFileSync(caFile));
    const certificate = new X509Certificate(readFileSync(certificateFile));
    const isWhole =
      certificate.verify(ca.publicKey) && certificate.checkPrivateKey(createPrivateKey(readFileSync(keyFile)));
    return isWhole ? certificate.validToDate.getTime() : 0;
  } catch {
    return 0;
  }
};

// The library's decorators read metadata as soon as it is loaded.

type IssuedCertificate = { readonly ca: string; readonly certificate: string; readonly privateKey: string };

const validForMs = 365 * 24 * 60 * 60 * 1000;
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const issuer = 'CN=Local run: certificate authority';

/**
 * Issues a certificate for these host names and 127.0.0.1 from a new authority, all in PEM. The authority's key is discarded,
 * so trusting the authority means trusting only this certificate.
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

/** Creates an HTTPS server like API Gateway's: it speaks HTTP/1.1 and TLS 1.2 or newer. */
export const createHttpsServer = (
  tls: { readonly key: string; readonly cert: string },
  listener: RequestListener,
): Server => createServer({ ...tls, minVersion: 'TLSv1.2', ALPNProtocols: ['http/1.1'] }, listener);
