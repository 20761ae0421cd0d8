import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import {
  bitString,
  boolean,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  set,
  tagged,
  utcTime,
  utf8String,
} from './der.ts';

export type IssuedCertificate = { readonly ca: string; readonly certificate: string; readonly privateKey: string };

const validForMs = 365 * 24 * 60 * 60 * 1000;

const ecdsaWithSha256 = sequence(objectIdentifier('1.2.840.10045.4.3.2'));

/**
 * A certificate (X.509 v3, ECDSA on P-256) for `localhost` and 127.0.0.1 from an authority of its own, all in PEM. The
 * authority's key is gone when this returns: whoever trusts it trusts this one certificate.
 */
export const issueServerCertificate = (nowMs: number): IssuedCertificate => {
  const [authority, server] = [newKeyPair(), newKeyPair()];
  const issuer = nameOf('Partner API local run: certificate authority');
  const shared = { issuer, issuerKeys: authority, nowMs };
  const ca = certificate({
    ...shared,
    subject: issuer,
    publicKey: authority.publicKey,
    extensions: [
      extension('2.5.29.19', sequence(boolean(true)), { critical: true }), // basic constraints: an authority
      extension('2.5.29.15', bitString(Buffer.of(0b0000_0100), 2), { critical: true }), // key usage: signs certificates
    ],
  });
  const serverCertificate = certificate({
    ...shared,
    subject: nameOf('localhost'),
    publicKey: server.publicKey,
    extensions: [
      extension('2.5.29.15', bitString(Buffer.of(0b1000_0000), 7), { critical: true }), // key usage: signs handshakes
      extension('2.5.29.37', sequence(objectIdentifier('1.3.6.1.5.5.7.3.1'))), // extended key usage: a TLS server
      extension('2.5.29.17', sequence(dnsName('localhost'), ipAddress([127, 0, 0, 1]))), // subject alternative names
    ],
  });
  return {
    ca: pem(ca),
    certificate: pem(serverCertificate),
    privateKey: server.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
};

type KeyPair = { readonly publicKey: KeyObject; readonly privateKey: KeyObject };

const newKeyPair = (): KeyPair => generateKeyPairSync('ec', { namedCurve: 'P-256' });

type Content = {
  readonly issuer: Buffer;
  readonly issuerKeys: KeyPair;
  readonly subject: Buffer;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Buffer[];
  readonly nowMs: number;
};

const certificate = ({ issuer, issuerKeys, subject, publicKey, extensions, nowMs }: Content): Buffer => {
  const content = sequence(
    tagged(0, integer(Buffer.of(2)), { constructed: true }), // version 3
    integer(Buffer.concat([Buffer.of(1), randomBytes(15)])), // serial number
    ecdsaWithSha256,
    issuer,
    sequence(utcTime(nowMs), utcTime(nowMs + validForMs)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(
      3,
      sequence(
        ...extensions,
        extension('2.5.29.14', octetString(keyIdentifier(publicKey))), // subject key identifier
        extension('2.5.29.35', sequence(tagged(0, keyIdentifier(issuerKeys.publicKey), { constructed: false }))), // authority key identifier
      ),
      { constructed: true },
    ),
  );
  return sequence(content, ecdsaWithSha256, bitString(sign('sha256', content, issuerKeys.privateKey)));
};

const nameOf = (commonName: string) => sequence(set(sequence(objectIdentifier('2.5.4.3'), utf8String(commonName))));

const extension = (id: string, value: Buffer, { critical = false } = {}) =>
  sequence(objectIdentifier(id), ...(critical ? [boolean(true)] : []), octetString(value));

const dnsName = (name: string) => tagged(2, Buffer.from(name), { constructed: false });

const ipAddress = (bytes: readonly number[]) => tagged(7, Buffer.from(bytes), { constructed: false });

const keyIdentifier = (publicKey: KeyObject): Buffer =>
  createHash('sha1')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest();

const pem = (der: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replace(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
