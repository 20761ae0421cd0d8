import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DynamoDbProxy } from './dynamodb/dynamodb-proxy.ts';
import type { UserFacingError } from './errors.ts';
import type { OutsideHosts } from './functions/function-process.ts';
import type { Credentials } from './iam/principals.ts';
import type { StackVersion, TelemetryEmitter } from './stack-version.ts';

export type ServeStackOptions<Seeded> = {
  /**
   * The folder of the cloud assembly, or what makes it: called when directory and port are this run's, while DynamoDB Local
   * starts.
   */
  readonly assembly: string | (() => Promise<string>);
  /** Gets `logs/`, the certificates and, where data is kept, `dynamodb/`. No other run may have it at the same time. */
  readonly directory: string;
  /** 0 for a free one, as by default. */
  readonly port?: number;
  /**
   * Listens on all IPv4 addresses of this machine, not only on loopback: inside a container, a published port arrives at
   * another address. Clients that come this way count as clients on this machine.
   */
  readonly isOnAllAddresses?: boolean;
  /** Keeps the data of this run in the directory, and takes up that of the last one. */
  readonly keepData?: boolean;
  /** A DynamoDB Local that already runs; without it, one is started. */
  readonly dynamoDbEndpoint?: string | undefined;
  /** Where a Java runtime for DynamoDB Local is fetched from if there is none, or `none`: `cachedJava` says more. */
  readonly javaSource?: string | undefined;
  /** Stands before the names of tables in place of the stack's, to keep apart those who share a DynamoDB Local. */
  readonly tablePrefix?: string | undefined;
  /** Fills the tables before anything is served. */
  readonly seed?: (tables: ServedTables) => Promise<Seeded>;
  /** Answers on the same port what is not for the API, at once or later, or returns `false` and leaves it to the API. */
  readonly serveBeside?: (incoming: IncomingMessage, outgoing: ServerResponse) => false | Promise<void>;
  /**
   * How many times slower than Lambda's this machine is taken to be, 1 by default: limits on the time of functions, Lambda's
   * and those that their code sets, are so much longer.
   */
  readonly timeFactor?: number | undefined;
  /** Hosts that functions find on this machine in place of the internet, or what starts them, called like `assembly`. */
  readonly outside?: OutsideHosts | (() => Promise<OutsideHosts>) | undefined;
  /** The name of the function that gets the inspector of Node.js, and no limits on its time. */
  readonly inspect?: string | undefined;
  /** Takes one line per request, and what else there is to say. */
  readonly print?: (line: string) => void;
  /** Takes one line for each part of the start, when it begins. */
  readonly announce?: (line: string) => void;
  /** Called if the store ends unexpectedly or another run has taken its tables. Close the run then: it can serve nothing. */
  readonly onStoreEnd?: (reason: UserFacingError) => void;
};

/** The tables as an operator reaches them, past the functions' roles and faults. */
export type ServedTables = {
  /** The address of DynamoDB Local itself. */
  readonly endpoint: string;
  /** The tables' physical names, by those that the source code of the stack gives them. */
  readonly names: Readonly<Record<string, string>>;
};

/** The queues, event buses, logs, IP sets and keys as clients outside the stack reach them. */
export type ServedMessaging = {
  /** `AWS_ENDPOINT_URL_SQS` */
  readonly queueEndpoint: string;
  /** Gives the queues' URLs, by the names that the source code of the stack gives them. */
  readonly queueUrls: () => Readonly<Record<string, string>>;
  /** `AWS_ENDPOINT_URL_EVENTBRIDGE`; a bus goes by its name or ARN of the template. */
  readonly eventEndpoint: string;
  /** `AWS_ENDPOINT_URL_CLOUDWATCH_LOGS`: queries of what the functions of the stack log. */
  readonly logEndpoint: string;
  /** `AWS_ENDPOINT_URL_WAFV2`; a set goes by its name and id of the template, and what it holds outlives a `replace`. */
  readonly ipSetEndpoint: string;
  /** `AWS_ENDPOINT_URL_KMS`; a key goes by its ARN of the template, and only GenerateMac and DescribeKey are served. */
  readonly macEndpoint: string;
  /**
   * Gives credentials to ask with as a principal, by its ARN: policies of queues and buses decide what it may do. Without
   * one, they are those of the owner of the stack's account, who may do everything.
   */
  readonly credentialsOf: (principalArn?: string) => Credentials;
};

export type ServedStack<Seeded = unknown> = {
  /** The address of the API's stage. */
  readonly baseUrl: string;
  /** The certificate to trust. */
  readonly caFile: string;
  readonly logsDirectory: string;
  readonly tables: ServedTables;
  readonly messaging: ServedMessaging;
  /** Whatever `seed` gave. */
  readonly seeded: Seeded;
  /** Gives what is served now. */
  readonly version: () => Pick<StackVersion, 'stack' | 'resolve' | 'api'>;
  /** Serves another assembly of the stack from now on, on the same port and with the same data; throws if it cannot. */
  readonly replace: (assemblyDirectory: string) => Promise<void>;
  /** The address at which a debugger finds the inspected function. */
  readonly inspectorAddress: string | undefined;
  readonly telemetry: TelemetryEmitter;
  /** Lets all calls to the tables suffer the fault until it is told otherwise. */
  readonly injectStoreFault: DynamoDbProxy['injectFault'];
  /** Lets queues and streams bring nothing to functions until it is told otherwise, as if their mappings were disabled. */
  readonly pauseMappings: (arePaused: boolean) => void;
  /** Lets mappings try again what has failed, and give it up, so many times sooner than the template says; 1 ends that. */
  readonly hastenMappings: (timesFaster: number) => void;
  /** Runs at once what runs by a schedule; resolves when it has, throws if it failed. */
  readonly runSchedules: () => Promise<void>;
  readonly close: () => Promise<void>;
};
