import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { closeServer, listenOnLoopback } from '../aws/host/loopback-server.ts';
import type { Environment } from '../aws/template/environment.ts';
import { AccountError } from './account-error.ts';
import { createCloudFormation } from './cloudformation/cloudformation.ts';
import type { RequestsOf } from './cloudformation/execution-rights.ts';
import type { DeployedResource, StackRecord } from './cloudformation/stack-record.ts';
import { putJson } from './json-answer.ts';
import { parseQuery, type QueryValue, queryAnswer, queryRefusal, type XmlValue } from './query-protocol.ts';
import { resourcesIn } from './resources.ts';
import { answerOfLambda } from './services/lambda.ts';
import { createS3, type Objects } from './services/s3.ts';
import { createSsm } from './services/ssm.ts';
import { createSts } from './services/sts.ts';

/** An AWS account on this machine, as far as deploying to one takes it. */
export type LocalAccount = {
  /** For AWS_ENDPOINT_URL. */
  readonly endpoint: string;
  readonly stacks: ReadonlyMap<string, StackRecord>;
  /** What deleted stacks and replaced resources have left behind. */
  readonly left: readonly DeployedResource[];
  readonly objects: Objects;
  /** The requests so far, as `service action`, with the role that one asks for. */
  readonly requests: readonly string[];
  /** Lets the next change of a resource fail, by the beginning of its logical id. */
  readonly failOnce: (logicalId: string, reason: string) => void;
  readonly close: () => Promise<void>;
};

type Rights = {
  /** What CloudFormation asks for on behalf of a resource: its role has to allow that. Nothing, unless told otherwise. */
  readonly requestsOf: RequestsOf;
};

/** Opens an empty account: no stack, no bucket, not even the one of `cdk bootstrap`. */
export const openLocalAccount = async (
  environment: Environment,
  { requestsOf = () => [] }: Partial<Rights> = {},
): Promise<LocalAccount> => {
  const stacks = new Map<string, StackRecord>();
  const objects: Objects = new Map();
  const left: DeployedResource[] = [];
  const requests: string[] = [];
  let fault: { readonly logicalId: string; readonly reason: string } | undefined;

  const resources = resourcesIn(environment, stacks);
  const ssm = createSsm(resources);
  const s3 = createS3(resources, objects);
  const services: Readonly<Record<string, (action: string, request: Record<string, QueryValue>) => XmlValue>> = {
    sts: createSts(resources),
    cloudformation: createCloudFormation({
      environment,
      stacks,
      requestsOf,
      readTemplate: (url) => objects.get(new URL(url).pathname.slice(1))?.toString(),
      readParameter: (name) => {
        const parameter = resources.propertiesOf('AWS::SSM::Parameter').find(({ Name }) => Name === name);
        return parameter && String(parameter.Value);
      },
      hasObject: (bucket, key) => objects.has(`${bucket}/${key}`),
      faultOf: (logicalId) => {
        if (!fault || !logicalId.startsWith(fault.logicalId)) return undefined;
        const { reason } = fault;
        fault = undefined;
        return reason;
      },
      leave: (resource) => left.push(resource),
    }),
  };

  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const service = serviceOf(incoming);
    if (service === 's3') {
      requests.push(`s3 ${incoming.method} ${incoming.url}`);
      return s3(incoming, outgoing);
    }
    if (service === 'lambda') {
      requests.push(`lambda ${incoming.method} ${incoming.url}`);
      return putJson(outgoing, answerOfLambda(incoming.url));
    }
    const body = await text(incoming);
    if (service === 'ssm') {
      requests.push(`ssm ${incoming.headers['x-amz-target']}`);
      return putJson(outgoing, ssm(String(incoming.headers['x-amz-target']), JSON.parse(body)));
    }
    const { Action = '', ...request } = parseQuery(body);
    requests.push([service, Action, request.RoleArn].filter(Boolean).join(' '));
    const perform = services[service];
    if (!perform)
      throw new AccountError('UnknownService', `This account has no ${service} (${incoming.method} ${incoming.url}).`);
    outgoing.end(queryAnswer(String(Action), perform(String(Action), request)));
  };

  const server = createServer((incoming, outgoing) => {
    answer(incoming, outgoing).catch((error) => {
      const refusal = error instanceof AccountError ? error : new AccountError('InternalFailure', String(error.stack));
      outgoing.writeHead(refusal === error ? 400 : 500).end(queryRefusal(refusal));
    });
  });
  const address = await listenOnLoopback(server);
  return {
    endpoint: `http://${address}`,
    ...{ stacks, left, objects, requests },
    failOnce: (logicalId, reason) => {
      fault = { logicalId, reason };
    },
    close: () => closeServer(server),
  };
};

/** A signature names the service that it is for: `Credential=<key>/<date>/<region>/<service>/aws4_request`. */
const serviceOf = ({ headers }: IncomingMessage): string =>
  /Credential=[^/]+\/\d+\/[^/]+\/([^/]+)\//.exec(headers.authorization ?? '')?.[1] ?? 'unsigned';
