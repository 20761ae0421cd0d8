import { lookup } from 'node:dns/promises';
import { isIPv6, type LookupFunction } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';

/** What the sender needs of the world outside. */
export type Network = {
  /** Gives all addresses of a host name. */
  readonly resolve: (hostName: string) => Promise<readonly string[]>;
  /** Connects to port 443 of one of these addresses, and to no other, and has the certificate verified for the host. */
  readonly connect: (hostName: string, addresses: readonly string[]) => TLSSocket;
};

/** The internet. Nothing in a function's environment changes it. */
export const internet: Network = {
  resolve: async (hostName) => (await lookup(hostName, { all: true, order: 'verbatim' })).map(({ address }) => address),
  connect: (hostName, addresses) =>
    connect({
      host: hostName,
      port: 443,
      servername: hostName,
      lookup: answering(addresses),
      ALPNProtocols: ['http/1.1'],
      rejectUnauthorized: true,
    }),
};

/** Stands in for the look-up of a connection: the name must not be looked up a second time. */
export const answering = (addresses: readonly string[]): LookupFunction => {
  const answers = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return (_hostName, { all }, callback) => {
    const [first] = answers;
    if (all || !first) callback(null, answers);
    else callback(null, first.address, first.family);
  };
};
