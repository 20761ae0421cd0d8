import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { json } from 'node:stream/consumers';
import { requireKnown } from '../errors.ts';
import { closeServer, listenerOf, listenOnLoopback } from '../host/servers.ts';
import { refusalOfAccess } from '../iam/access.ts';
import type { AccessKeys } from '../iam/principals.ts';
import type { Resolve } from '../template/intrinsics.ts';
import { readResources } from '../template/known-template.ts';
import type { Environment, Stack } from '../template/stack.ts';

type Options = { readonly environment: Environment; readonly accessKeys: AccessKeys };

/** An IP set of the template. */
export type IpSetDefinition = {
  readonly arn: string;
  readonly name: string;
  readonly id: string;
  readonly version: Version;
  readonly addresses: readonly string[];
};

type Version = 'IPV4' | 'IPV6';

/** The addresses of an IP set, and the lock token that an update has to contain. */
type Content = { readonly addresses: readonly string[]; readonly blocks: BlockList; readonly lockToken: string };

type Request = {
  readonly Name?: string;
  readonly Id?: string;
  readonly Scope?: string;
  readonly Addresses?: readonly string[];
  readonly LockToken?: string;
};

const maxAddresses = 10_000;

/**
 * Serves GetIPSet and UpdateIPSet as AWS WAF does: roles of the account decide, and of two concurrent updates of a set, the
 * second is refused. The addresses of a set remain in a new version of the stack whose template does not change them.
 */
export const startIpSetService = async ({ environment, accessKeys }: Options) => {
  const sets = new Map<string, IpSetDefinition & { content: Content }>();

  const answerTo = (incoming: IncomingMessage, operation: string, request: Request): object => {
    const { Name = '', Id = '', Scope, Addresses = [], LockToken } = request;
    const principal = accessKeys.principalOf(incoming);
    if (!principal) throw new Refusal('UnrecognizedClientException', 'The security token in the request is invalid.');
    const resource = `arn:${environment.partition}:wafv2:${environment.region}:${environment.accountId}:regional/ipset/${Name}/${Id}`;
    const refusal = refusalOfAccess(
      principal,
      { action: `wafv2:${operation}`, resource, secureTransport: true },
      { policy: () => 'implicit deny', accountId: environment.accountId },
    );
    if (refusal) throw new Refusal('AccessDeniedException', refusal);
    const set = sets.get(resource);
    if (Scope !== 'REGIONAL' || !set)
      throw new Refusal(
        'WAFNonexistentItemException',
        'AWS WAF couldn’t perform the operation: there is no such item.',
      );
    if (operation === 'GetIPSet') return described(set);
    if (LockToken !== set.content.lockToken)
      throw new Refusal(
        'WAFOptimisticLockException',
        'AWS WAF couldn’t save your changes: the item was changed since.',
      );
    set.content = contentOf(set.version, Addresses);
    return { NextLockToken: set.content.lockToken };
  };

  const serve = async (incoming: IncomingMessage, answer: ServerResponse) => {
    const [, operation = ''] = String(incoming.headers['x-amz-target']).split('.');
    const request = (await json(incoming)) as Request;
    if (!operations.includes(operation))
      throw new Refusal('InvalidAction', `The local run knows only ${operations.join(' and ')} of AWS WAF.`);
    respond(answer, 200, answerTo(incoming, operation, request));
  };

  const server = createServer(
    listenerOf(serve, (error, answer) => {
      if (error instanceof Refusal) respond(answer, 400, { __type: error.code, message: error.message });
    }),
  );

  return {
    endpoint: `http://${await listenOnLoopback(server)}`,
    /**
     * Creates the sets of a template, changes those whose addresses differ from the previous template, and keeps the others.
     */
    define: (definitions: readonly IpSetDefinition[]): void => {
      const before = new Map(sets);
      sets.clear();
      for (const definition of definitions) {
        const known = before.get(definition.arn);
        const isAsItWas = known?.addresses.join() === definition.addresses.join();
        const content = known && isAsItWas ? known.content : contentOf(definition.version, definition.addresses);
        sets.set(definition.arn, { ...definition, content });
      }
    },
    /** Returns whether a set currently contains an address. */
    holds: (arn: string, address: string): boolean =>
      sets.get(arn)?.content.blocks.check(address, familyOf(address)) ?? false,
    close: () => closeServer(server),
  };
};

/** Returns whether an IP set contains an address. */
export type IsInIpSet = (ipSetArn: string, address: string) => boolean;

const operations = ['GetIPSet', 'UpdateIPSet'];

class Refusal extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

const described = ({ name, id, arn, version, content }: IpSetDefinition & { readonly content: Content }) => ({
  IPSet: { Name: name, Id: id, ARN: arn, IPAddressVersion: version, Addresses: content.addresses },
  LockToken: content.lockToken,
});

const contentOf = (version: Version, addresses: readonly string[]): Content => {
  if (addresses.length > maxAddresses)
    throw new Refusal('WAFLimitsExceededException', `An IP set holds at most ${maxAddresses} addresses.`);
  const blocks = new BlockList();
  for (const block of addresses) {
    const [address = '', prefixLength = ''] = block.split('/');
    const family = familyOf(address);
    const isOfVersion = isIP(address) !== 0 && family === version.toLowerCase();
    const bits = /^\d{1,3}$/.test(prefixLength) ? Number(prefixLength) : 0;
    if (!isOfVersion || bits < 1 || bits > (family === 'ipv4' ? 32 : 128))
      throw new Refusal('WAFInvalidParameterException', `IP_ADDRESS ${block} is no block of a set for ${version}.`);
    blocks.addSubnet(address, bits, family);
  }
  return { addresses, blocks, lockToken: randomUUID() };
};

const familyOf = (address: string) => (isIP(address) === 4 ? 'ipv4' : 'ipv6');

const respond = (answer: ServerResponse, status: number, body: object) =>
  answer.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));

type IpSetProperties = {
  readonly Addresses: readonly string[];
  readonly IPAddressVersion: Version;
  readonly Name?: string;
  readonly Scope: string;
};

const knownProperties = ['Addresses', 'Description', 'IPAddressVersion', 'Name', 'Scope', 'Tags'];

/** Reads the template's IP sets. */
export const readIpSets = (stack: Stack, resolve: Resolve): IpSetDefinition[] =>
  readResources<IpSetProperties>(stack.template, resolve, 'AWS::WAFv2::IPSet', knownProperties).map(
    ({ logicalId, Addresses, IPAddressVersion, Scope }) => {
      requireKnown(`scope of ${logicalId}:`, [Scope], ['REGIONAL']);
      requireKnown(`kind of addresses of ${logicalId}:`, [IPAddressVersion], ['IPV4', 'IPV6']);
      const [name = '', id = ''] = resolve<string>({ Ref: logicalId }).split('|');
      return {
        name,
        id,
        version: IPAddressVersion,
        addresses: Addresses,
        arn: resolve<string>({ 'Fn::GetAtt': [logicalId, 'Arn'] }),
      };
    },
  );
