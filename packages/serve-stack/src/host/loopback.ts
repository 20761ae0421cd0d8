import { type AgentOptions, globalAgent, setGlobalProxyFromEnv } from 'node:http';

const hosts = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Lets this process, and the processes that it starts, call this machine directly even if the environment names a proxy, which
 * could not reach the loopback addresses of its client. All other hosts are called as before.
 */
export const bypassProxyOnLoopback = (): void => {
  const { no_proxy: lower = '', NO_PROXY: upper = '' } = process.env;
  const exempt = new Set([lower, upper].flatMap((list) => list.split(/[\s,]+/)).filter(Boolean));
  // An asterisk exempts all hosts, but only if it stands alone.
  const list = exempt.has('*') ? '*' : [...exempt, ...hosts].join(',');
  Object.assign(process.env, { no_proxy: list, NO_PROXY: list });
  // Node.js has read the variables at its start, if it was told to use a proxy.
  const { options } = globalAgent as unknown as { readonly options: AgentOptions };
  if (options.proxyEnv) setGlobalProxyFromEnv(process.env);
};
