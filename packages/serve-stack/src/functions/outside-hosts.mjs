/**
 * Stands in for the internet, for a few hosts: their names are looked up to an address of the internet, and a connection to
 * port 443 of that address leads to a port of this machine. The function's code knows nothing of it, and checks names,
 * addresses and certificates as it does on AWS. Plain JavaScript, as `bootstrap.mjs` is.
 */
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';

/** An address of the internet; nothing is ever sent there. */
const standIn = { address: '128.66.0.1', family: 4 };
const here = { address: '127.0.0.1', family: 4 };

/** Leads connections to these hosts, by their names, to these ports; all others stay as they are. */
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

/** Answers as the look-up of the connection does, with this machine in place of the address that stands in. */
const leadHere = (lookup) => (name, options, callback) =>
  lookup(name, options, (error, found, family) => {
    if (error) return callback(error);
    const led = (each) => (each.address === standIn.address ? here : each);
    if (Array.isArray(found)) return callback(null, found.map(led));
    const { address, family: ledFamily } = led({ address: found, family });
    return callback(null, address, ledFamily);
  });
