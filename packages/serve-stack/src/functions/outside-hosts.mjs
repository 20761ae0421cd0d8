/**
 * Replaces the internet for a few hosts: their names resolve to an internet address, and a connection to port 443 of that
 * address goes to a port of this machine. The function's code is unchanged, and checks names, addresses and certificates as it
 * does on AWS. Plain JavaScript, like `bootstrap.mjs`.
 */
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';

/** An internet address; no packet is ever sent there. */
const standIn = { address: '128.66.0.1', family: 4 };
const here = { address: '127.0.0.1', family: 4 };

/** Redirects connections to these hosts, by name, to these ports. All other connections are unchanged. */
export const reachOutsideHosts = (ports) => {
  const { lookup } = dns.promises;
  dns.promises.lookup = async (name, options) => {
    if (!Object.hasOwn(ports, name)) return lookup(name, options);
    return options?.all ? [standIn] : standIn;
  };
  syncBuiltinESMExports();

  const { connect } = Socket.prototype;
  Socket.prototype.connect = function (...all) {
    const [options, ...rest] = Array.isArray(all[0]) ? all[0] : all;
    const isOutside = options?.port === 443 && Object.hasOwn(ports, options.host) && options.lookup;
    if (!isOutside) return connect.apply(this, all);
    return connect.call(this, { ...options, port: ports[options.host], lookup: leadHere(options.lookup) }, ...rest);
  };
};

/** Returns a look-up that replaces the placeholder address with this machine's, and otherwise answers like `lookup`. */
const leadHere = (lookup) => (name, options, callback) =>
  lookup(name, options, (error, found, family) => {
    if (error) return callback(error);
    const led = (each) => (each.address === standIn.address ? here : each);
    if (Array.isArray(found)) return callback(null, found.map(led));
    const { address, family: ledFamily } = led({ address: found, family });
    return callback(null, address, ledFamily);
  });
