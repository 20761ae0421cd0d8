import { WAFV2Client } from '@aws-sdk/client-wafv2';
import { createAccessKeys, credentialsOfPrincipals, startIpSetService } from 'serve-stack/services';
import { type IpSets, ipSetsOf } from '../../operator/connection/ip-sets.ts';

const environment = { accountId: '000000000000', region: 'eu-central-1', partition: 'aws' };

/** IP sets as AWS WAF serves them: the given number for IPv4 and one for IPv6, with the addresses of the template. */
export const openIpSets = async ({ ipv4Sets = 1, ipv6Addresses = [] as readonly string[] } = {}) => {
  const accessKeys = createAccessKeys();
  const service = await startIpSetService({ environment, accessKeys });
  const setOf = (id: string, version: 'IPV4' | 'IPV6', addresses: readonly string[] = []) => ({
    name: 'set',
    id,
    version,
    addresses,
    arn: `arn:aws:wafv2:${environment.region}:${environment.accountId}:regional/ipset/set/${id}`,
  });
  const sets = [
    ...Array.from({ length: ipv4Sets }, (_, index) => setOf(`v4-${index}`, 'IPV4')),
    setOf('v6', 'IPV6', ipv6Addresses),
  ];
  service.define(sets);
  const connect = (): IpSets => {
    const client = new WAFV2Client({
      endpoint: service.endpoint,
      region: environment.region,
      credentials: credentialsOfPrincipals(environment, accessKeys)(),
    });
    return ipSetsOf(
      client,
      sets.map(({ name, id }) => `${name}|${id}|REGIONAL`),
    ) as IpSets;
  };
  return {
    connect,
    /** Sets all addresses back to those of the template, as a deployment would. */
    reset: () => {
      service.define([]);
      service.define(sets);
    },
    lets: (address: string) => sets.some(({ arn }) => service.holds(arn, address)),
    close: service.close,
  };
};
