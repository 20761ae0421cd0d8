import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { issueServerCertificate } from './certificate.ts';

export type ServerCertificate = { readonly caFile: string; readonly cert: string; readonly key: string };

const renewBeforeMs = 30 * 24 * 60 * 60 * 1000;

/** Gives the certificate kept in the directory, so that a client has to be told of it once; a new one where it ends soon. */
export const serverCertificateIn = async (directory: string, nowMs = Date.now()): Promise<ServerCertificate> => {
  const caFile = join(directory, 'ca.pem');
  const certificateFile = join(directory, 'server.pem');
  const keyFile = join(directory, 'server-key.pem');
  if (![caFile, certificateFile, keyFile].every(existsSync) || endsSoon(caFile, certificateFile, nowMs)) {
    const { ca, certificate, privateKey } = await issueServerCertificate(nowMs);
    writeFileSync(caFile, ca);
    writeFileSync(certificateFile, certificate);
    writeFileSync(keyFile, privateKey, { mode: 0o600 });
  }
  return { caFile, cert: readFileSync(certificateFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
};

const endsSoon = (caFile: string, certificateFile: string, nowMs: number) => {
  const [ca, certificate] = [caFile, certificateFile].map((file) => new X509Certificate(readFileSync(file)));
  return !ca || !certificate?.verify(ca.publicKey) || certificate.validToDate.getTime() - nowMs < renewBeforeMs;
};
