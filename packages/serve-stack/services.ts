/** The other services separately, for tests of code that calls them: IAM's decisions, SQS, EventBridge, KMS and IP sets. */

export { compilePolicies, type Decision, type PolicyRequest } from './src/iam/policies.ts';
export {
  type AccessKeys,
  createAccessKeys,
  credentialsOfPrincipals,
  type Principal,
  principalInRole,
} from './src/iam/principals.ts';
export { type BusEvent, startEventService } from './src/services/event-service.ts';
export { readIpSets, startIpSetService } from './src/services/ip-set-service.ts';
export { startMacService } from './src/services/mac-service.ts';
export { compileQueuePolicies, readQueuePolicies, readQueues } from './src/services/queue-definitions.ts';
export { startQueueService } from './src/services/queue-service.ts';
