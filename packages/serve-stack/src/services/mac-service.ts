import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { requireKnown, UserFacingError } from '../errors.ts';
import { closeServer, listenerOf, listenOnLoopback } from '../host/servers.ts';
import { compileResourcePolicy, type ResourcePolicy, refusalOfAccess } from '../iam/access.ts';
import { type PolicyDocument, principalsIn, statementsOf } from '../iam/policies.ts';
import type { AccessKeys } from '../iam/principals.ts';
import type { Resolve } from '../template/intrinsics.ts';
import { readResources } from '../template/known-template.ts';
import { type Environment, rootArn, type Stack } from '../template/stack.ts';

type Options = {
  readonly environment: Environment;
  readonly accessKeys: AccessKeys;
  /** Returns the current policies of the keys, by ARN. */
  readonly keys: () => ReadonlyMap<string, ResourcePolicy>;
};

type Request = { readonly KeyId?: string; readonly MacAlgorithm?: string; readonly Message?: string };

const maxMessageBytes = 4096;

const operations = ['DescribeKey', 'DisableKey', 'EnableKey', 'GenerateMac'];

/**
 * Serves these operations as KMS does: roles of the account and the key's policy decide. The key material is derived from the
 * key's ARN, so that a run that keeps its data computes the same codes again; it protects only data on this machine. Each run
 * starts with all keys enabled.
 */
export const startMacService = async ({ environment, accessKeys, keys }: Options) => {
  const disabled = new Set<string>();
  const refusalOf = (incoming: IncomingMessage, operation: string, arn: string): Refusal | undefined => {
    const principal = accessKeys.principalOf(incoming);
    if (!principal) return ['UnrecognizedClientException', 'The security token included in the request is invalid.'];
    const policy = keys().get(arn) ?? (() => 'implicit deny' as const);
    const request = { action: `kms:${operation}`, resource: arn, secureTransport: true };
    const refusal = refusalOfAccess(principal, request, { policy, accountId: environment.accountId });
    if (refusal) return ['AccessDeniedException', refusal];
    return keys().has(arn) ? undefined : ['NotFoundException', `Key '${arn}' does not exist`];
  };

  const serve = async (incoming: IncomingMessage, answer: ServerResponse) => {
    const { KeyId = '', MacAlgorithm, Message = '' } = (await json(incoming)) as Request;
    const operation = String(incoming.headers['x-amz-target']).replace('TrentService.', '');
    if (!operations.includes(operation))
      return respond(
        answer,
        400,
        errorBody('InvalidAction', `The local run knows only ${operations.join(', ')} of KMS.`),
      );
    const refusal = refusalOf(incoming, operation, KeyId);
    if (refusal) return respond(answer, 400, errorBody(...refusal));
    if (operation === 'DisableKey') disabled.add(KeyId);
    if (operation === 'EnableKey') disabled.delete(KeyId);
    if (operation === 'DisableKey' || operation === 'EnableKey') return respond(answer, 200, {});
    const isDisabled = disabled.has(KeyId);
    if (operation === 'DescribeKey')
      return respond(answer, 200, {
        KeyMetadata: { KeyId, Arn: KeyId, KeyState: isDisabled ? 'Disabled' : 'Enabled' },
      });
    if (isDisabled) return respond(answer, 400, errorBody('DisabledException', `${KeyId} is disabled.`));
    const message = Buffer.from(Message, 'base64');
    if (MacAlgorithm !== 'HMAC_SHA_256' || message.length < 1 || message.length > maxMessageBytes)
      return respond(answer, 400, errorBody('ValidationException', invalid));
    const Mac = createHmac('sha256', `local ${KeyId}`).update(message).digest('base64');
    return respond(answer, 200, { KeyId, Mac, MacAlgorithm });
  };

  const server = createServer(listenerOf(serve));
  return { endpoint: `http://${await listenOnLoopback(server)}`, close: () => closeServer(server) };
};

const invalid = `A key HMAC_256 takes the algorithm HMAC_SHA_256 and a message of 1 to ${maxMessageBytes} bytes.`;

type Refusal = readonly [code: string, message: string];

const errorBody = (code: string, message: string) => ({ __type: code, message });

const respond = (answer: ServerResponse, status: number, body: object) =>
  answer.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));

type KeyProperties = {
  readonly KeyPolicy: PolicyDocument;
  readonly KeySpec?: string;
  readonly KeyUsage?: string;
};

const knownProperties = [
  ...['Description', 'Enabled', 'EnableKeyRotation', 'KeyPolicy', 'KeySpec', 'KeyUsage', 'MultiRegion'],
  ...['PendingWindowInDays', 'Tags'],
];

/** Reads the template's keys for message authentication codes, and compiles their policies, by ARN. */
export const readMacKeys = (stack: Stack, resolve: Resolve): ReadonlyMap<string, ResourcePolicy> => {
  const { template, environment } = stack;
  const keys = readResources<KeyProperties>(template, resolve, 'AWS::KMS::Key', knownProperties);
  return new Map(
    keys.map(({ logicalId, KeyPolicy, KeySpec = 'SYMMETRIC_DEFAULT', KeyUsage = 'ENCRYPT_DECRYPT' }) => {
      requireKnown(`kind of the key ${logicalId}:`, [KeySpec], ['HMAC_256']);
      requireKnown(`use of the key ${logicalId}:`, [KeyUsage], ['GENERATE_VERIFY_MAC']);
      requireLeftToAccount(logicalId, KeyPolicy, rootArn(environment));
      return [
        resolve<string>({ 'Fn::GetAtt': [logicalId, 'Arn'] }),
        compileResourcePolicy([KeyPolicy], environment.accountId),
      ];
    }),
  );
};

/** Throws unless the key's policy delegates to the account: only then does KMS evaluate the policies of roles. */
const requireLeftToAccount = (logicalId: string, policy: PolicyDocument, owner: string) => {
  const isLeft = statementsOf(policy).some(
    ({ Effect, Principal, Action }) =>
      Effect === 'Allow' && [Action].flat().includes('kms:*') && principalsIn(Principal).aws.includes(owner),
  );
  if (!isLeft)
    throw new UserFacingError(
      `The policy of ${logicalId} does not allow kms:* to ${owner}, without which no role of the account may use the key.`,
    );
};
