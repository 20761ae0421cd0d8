import { isIP } from 'node:net';
import { GetIPSetCommand, type IPSet, UpdateIPSetCommand, type WAFV2Client } from '@aws-sdk/client-wafv2';
import { ipSetCapacity } from '../../config/allowlist.ts';
import { unionOf } from '../../config/cidr.ts';
import { backOff } from '../../lambdas/data/store/attempts.ts';
import { OperatorError } from '../error.ts';

/** The number of blocks of a family in the sets of a stage, and their capacity. */
type IpSetFill = { readonly family: Family; readonly count: number; readonly capacity: number };

/** The IP sets of a stage. AWS WAF admits an address in any of them. They contain the blocks that companies register. */
export type IpSets = {
  /** Resolves to all blocks, in the notation of the configuration. */
  readonly read: () => Promise<string[]>;
  readonly readFill: () => Promise<IpSetFill[]>;
  /** Adds the blocks that no set contains to sets with free capacity. */
  readonly add: (cidrs: readonly string[]) => Promise<void>;
  /** Removes blocks from all sets. */
  readonly remove: (cidrs: readonly string[]) => Promise<void>;
  readonly close: () => void;
};

type Family = 'IPV4' | 'IPV6';

const attempts = 25;

/** Returns the IP sets with these physical ids, `name|id|scope`; undefined for an empty list. */
export const ipSetsOf = (client: WAFV2Client, physicalIds: readonly string[]): IpSets | undefined => {
  const names = physicalIds.map((physicalId) => {
    const [Name, Id] = physicalId.split('|');
    return { Name, Id, Scope: 'REGIONAL' as const };
  });
  const readSets = () => Promise.all(names.map((name) => readSet(client, name)));

  /** Changes sets until `next` returns undefined. After a concurrent write it reads the sets again, and overwrites nothing. */
  const change = async (next: (sets: readonly SeenSet[]) => Change | undefined): Promise<void> => {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const wanted = next(await readSets());
      if (!wanted) return;
      const { set, cidrs } = wanted;
      const { Name, Id, LockToken } = set;
      const command = new UpdateIPSetCommand({ Name, Id, LockToken, Scope: 'REGIONAL', Addresses: [...cidrs] });
      await client.send(command).catch((error: Error) => {
        if (error.name !== 'WAFOptimisticLockException') throw error;
        return backOff(attempt);
      });
    }
    throw new OperatorError(
      'conflict',
      `Gave up changing the IP sets after ${attempts} attempts, each in conflict with another write. Check with company sync --check, and run again.`,
    );
  };

  if (names.length === 0) return undefined;
  return {
    read: async () => [...new Set((await readSets()).flatMap(({ cidrs }) => cidrs))],
    readFill: async () => {
      const byFamily = Map.groupBy(await readSets(), ({ family }) => family);
      return [...byFamily].map(([family, sets]) => ({
        family,
        count: sets.reduce((sum, { cidrs }) => sum + cidrs.length, 0),
        capacity: sets.length * ipSetCapacity,
      }));
    },
    add: (cidrs) =>
      change((sets) => {
        const held = new Set(sets.flatMap((each) => each.cidrs));
        const missing = cidrs.filter((cidr) => !held.has(cidr));
        const [first] = missing;
        if (first === undefined) return undefined;
        const family = familyOf(first);
        const set = sets.find((each) => each.family === family && each.cidrs.length < ipSetCapacity);
        if (!set) throw isFull(family);
        const ofFamily = missing.filter((cidr) => familyOf(cidr) === family);
        return { set, cidrs: [...set.cidrs, ...ofFamily].slice(0, ipSetCapacity) };
      }),
    remove: (cidrs) =>
      change((sets) => {
        const unwanted = new Set(cidrs);
        const set = sets.find((each) => each.cidrs.some((cidr) => unwanted.has(cidr)));
        return set && { set, cidrs: set.cidrs.filter((cidr) => !unwanted.has(cidr)) };
      }),
    close: () => client.destroy(),
  };
};

/** A set as it was read. A write needs the lock token. */
type SeenSet = {
  readonly Name: string | undefined;
  readonly Id: string | undefined;
  readonly LockToken: string | undefined;
  readonly family: Family;
  readonly cidrs: readonly string[];
};

type Change = { readonly set: SeenSet; readonly cidrs: readonly string[] };

type Name = { readonly Name: string | undefined; readonly Id: string | undefined; readonly Scope: 'REGIONAL' };

const readSet = async (client: WAFV2Client, name: Name): Promise<SeenSet> => {
  const { IPSet, LockToken } = await client.send(new GetIPSetCommand(name));
  const { Addresses = [], IPAddressVersion: family = 'IPV4' }: Partial<IPSet> = IPSet ?? {};
  // AWS WAF may return IPv6 addresses in the long notation.
  return { Name: name.Name, Id: name.Id, LockToken, family, cidrs: Addresses.flatMap((block) => unionOf([block])) };
};

const familyOf = (cidr: string): Family => (isIP(cidr.replace(/\/.*/, '')) === 4 ? 'IPV4' : 'IPV6');

const isFull = (family: Family) =>
  new OperatorError(
    'refused',
    `The IP sets for ${family} are full: each takes ${ipSetCapacity} blocks. Register fewer or wider ones, or add a set in infra/api/admission.ts and deploy the stage.`,
  );
