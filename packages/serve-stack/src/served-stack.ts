import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DynamoDbProxy } from './dynamodb/dynamodb-proxy.ts';
import type { UserFacingError } from './errors.ts';
import type { OutsideHosts } from './functions/function-process.ts';
import type { Credentials } from './iam/principals.ts';
import type { StackVersion, TelemetryEmitter } from './stack-version.ts';

export type ServeStackOptions<Seeded> = {
  /**
   * The folder of the cloud assembly, or a function that creates it. The function is called after the directory and the port
   * are reserved, while DynamoDB Local starts.
   */
  readonly assembly: string | (() => Promise<string>);
  /**
   * The directory for `logs/`, the certificates and, if data is kept, `dynamodb/`. No other run may use it at the same time.
   */
  readonly directory: string;
  /** The port to listen on; 0, the default, selects a free port. */
  readonly port?: number;
  /**
   * Listens on all IPv4 addresses of this machine, not only on loopback: inside a container, a published port arrives at
   * another address. Clients that come this way count as clients on this machine.
   */
  readonly isOnAllAddresses?: boolean;
  /** Keeps the data of this run in the directory, and continues with the data of the previous one. */
  readonly keepData?: boolean;
  /** The endpoint of a DynamoDB Local that already runs; without it, one is started. */
  readonly dynamoDbEndpoint?: string | undefined;
  /** The source from which a missing Java runtime for DynamoDB Local is downloaded, or `none`; see `cachedJava`. */
  readonly javaSource?: string | undefined;
  /** The prefix of table names instead of the stack's name, to separate runs that share a DynamoDB Local. */
  readonly tablePrefix?: string | undefined;
  /** Fills the tables before anything is served. */
  readonly seed?: (tables: ServedTables) => Promise<Seeded>;
  /**
   * Answers requests on the same port that are not for the API, at once or later; returns `false` to leave a request to the
   * API.
   */
  readonly serveBeside?: (incoming: IncomingMessage, outgoing: ServerResponse) => false | Promise<void>;
  /**
   * The factor by which this machine is assumed to be slower than Lambda's, 1 by default. All time limits of functions,
   * set by Lambda or by their code, are longer by this factor.
   */
  readonly timeFactor?: number | undefined;
  /**
   * Hosts that functions find on this machine instead of the internet, or a function that starts them, called like `assembly`.
   */
  readonly outside?: OutsideHosts | (() => Promise<OutsideHosts>) | undefined;
  /** The name of the function that runs with the Node.js inspector and without time limits. */
  readonly inspect?: string | undefined;
  /** Receives one line per request, and all other messages. */
  readonly print?: (line: string) => void;
  /** Receives one line for each part of the start, when the part begins. */
  readonly announce?: (line: string) => void;
  /** Called if the store ends unexpectedly or another run has taken its tables. Close the run then: it can no longer serve. */
  readonly onStoreEnd?: (reason: UserFacingError) => void;
};

/** The tables for an operator, without the functions' roles and faults. */
export type ServedTables = {
  /** The endpoint of DynamoDB Local itself. */
  readonly endpoint: string;
  /** The tables' physical names, by their names in the source code of the stack. */
  readonly names: Readonly<Record<string, string>>;
};

/** The queues, event buses, logs, IP sets and keys for clients outside the stack. */
export type ServedMessaging = {
  /** `AWS_ENDPOINT_URL_SQS` */
  readonly queueEndpoint: string;
  /** Returns the queues' URLs, by their names in the source code of the stack. */
  readonly queueUrls: () => Readonly<Record<string, string>>;
  /** `AWS_ENDPOINT_URL_EVENTBRIDGE`; a bus has its name or ARN of the template. */
  readonly eventEndpoint: string;
  /** `AWS_ENDPOINT_URL_CLOUDWATCH_LOGS`: queries over the logs of the stack's functions. */
  readonly logEndpoint: string;
  /** `AWS_ENDPOINT_URL_WAFV2`; a set has the name and id from the template, and its addresses remain after a `replace`. */
  readonly ipSetEndpoint: string;
  /** `AWS_ENDPOINT_URL_KMS`; a key has the ARN from the template, and can be described, disabled, enabled and used. */
  readonly macEndpoint: string;
  /**
   * Returns credentials of a principal, by its ARN; the policies of queues and buses decide what it may do. By default, they
   * are those of the owner of the stack's account, who may do everything.
   */
  readonly credentialsOf: (principalArn?: string) => Credentials;
};

export type ServedStack<Seeded = unknown> = {
  /** The URL of the API's stage. */
  readonly baseUrl: string;
  /** The certificate to trust. */
  readonly caFile: string;
  readonly logsDirectory: string;
  readonly tables: ServedTables;
  readonly messaging: ServedMessaging;
  /** The result of `seed`. */
  readonly seeded: Seeded;
  /** Returns the current version of the stack. */
  readonly version: () => Pick<StackVersion, 'stack' | 'resolve' | 'api'>;
  /** Replaces the assembly of the stack, with the same port and data. Throws if that is not possible. */
  readonly replace: (assemblyDirectory: string) => Promise<void>;
  /** The address of the inspected function for a debugger. */
  readonly inspectorAddress: string | undefined;
  readonly telemetry: TelemetryEmitter;
  /** Applies the fault to all calls to the tables until another one, or `undefined`, is set. */
  readonly injectStoreFault: DynamoDbProxy['injectFault'];
  /** Pauses or resumes the event source mappings, as if they were disabled. */
  readonly pauseMappings: (arePaused: boolean) => void;
  /** Makes mappings retry and give up sooner than the template says, by this factor; 1 ends that. */
  readonly hastenMappings: (timesFaster: number) => void;
  /** Runs all scheduled functions at once. Resolves when they have run; throws if one failed. */
  readonly runSchedules: () => Promise<void>;
  readonly close: () => Promise<void>;
};
