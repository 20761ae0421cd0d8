import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../host/whole-file.ts';
import { issueServerCertificate } from './certificate.ts';

export type ServerCertificate = { readonly caFile: string; readonly cert: string; readonly key: string };

const renewBeforeMs = 30 * 24 * 60 * 60 * 1000;

/** The certificate to trust; it is there as soon as a run has begun. */
export const caFileIn = (directory: string): string => join(directory, 'ca.pem');

/**
 * Gives the certificate kept in the directory, so that a client has to be told of it once; a new one where it ends soon, or
 * where not all of it can be read.
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

/** Tells when the kept certificate ends; 0 if one of the files is missing, broken, or not that of the others. */
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
