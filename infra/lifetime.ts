import { Duration, RemovalPolicy, type Stack } from 'aws-cdk-lib';
import type { TablePropsV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { KeyProps } from 'aws-cdk-lib/aws-kms';
import type { LogGroupProps } from 'aws-cdk-lib/aws-logs';
import { stageOf } from '../config/schema.ts';
import { isTrial } from '../config/trial.ts';

/** Everything in which a stage that is there to stay differs from a trial. */
export type Lifetime = {
  /** What CloudFormation shows as the description of the stack. */
  readonly description: string;
  /** Whether `npm run access` prepares the account: a bootstrap of the stage, and the boundary of its roles. */
  readonly isPrepared: boolean;
  readonly terminationProtection: boolean;
  /** The tables whose content cannot be recreated; the others are disposable in every stage. */
  readonly tables: Pick<TablePropsV2, 'deletionProtection' | 'pointInTimeRecoverySpecification' | 'removalPolicy'>;
  readonly logs: Pick<LogGroupProps, 'removalPolicy'>;
  readonly keys: Pick<KeyProps, 'multiRegion' | 'pendingWindow' | 'removalPolicy'>;
  /** The maximum number of concurrent calls of a function by one queue. A function may have a lower limit of its own. */
  readonly maxConcurrency: number;
  /** Whether new code answers a part of the requests first. */
  readonly isGradual: boolean;
  /** Whether outputs, instead of the configuration, say in which account and region the stage is, and who may call it. */
  readonly hasPlaceOutputs: boolean;
};

/** Props of a table that is deleted with its stack, together with its content. */
export const disposable = {
  pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: false },
  deletionProtection: false,
  removalPolicy: RemovalPolicy.DESTROY,
};

const lasting: Lifetime = {
  description: 'The partner API: keys, contracts, rate limits and remote control of heating appliances.',
  isPrepared: true,
  terminationProtection: true,
  tables: {
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: true,
    removalPolicy: RemovalPolicy.RETAIN,
  },
  // A group whose own creation is rolled back contains no logs yet, and such a key has derived nothing, so both are deleted.
  logs: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
  keys: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE, multiRegion: true },
  maxConcurrency: Number.POSITIVE_INFINITY,
  isGradual: true,
  hasPlaceOutputs: false,
};

const trial: Lifetime = {
  description: 'A trial of the partner API, with simulated homes. cdk destroy deletes it, with everything in it.',
  isPrepared: false,
  terminationProtection: false,
  tables: disposable,
  logs: { removalPolicy: RemovalPolicy.DESTROY },
  // KMS deletes no key at once: seven days are the shortest wait. A key that can have replicas would make KMS create a role for
  // the account, which stays.
  keys: { removalPolicy: RemovalPolicy.DESTROY, multiRegion: false, pendingWindow: Duration.days(7) },
  // The lowest limit that Lambda accepts. A new account runs ten functions at once, and requests need most of them.
  maxConcurrency: 2,
  isGradual: false,
  hasPlaceOutputs: true,
};

/** Returns the lifetime of the stage of a stack. */
export const lifetimeIn = ({ stackName }: Stack): Lifetime => lifetimeOf(stageOf(stackName));

export const lifetimeOf = (stage: string): Lifetime => (isTrial(stage) ? trial : lasting);
