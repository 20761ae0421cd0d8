/** The other services one by one, for tests of code that asks them: IAM's decisions, SQS, EventBridge and KMS. */
export type { BusEvent } from './src/events/event-bus.ts';
export { startEventService } from './src/events/event-service.ts';
export { type AccessKeys, createAccessKeys } from './src/iam/access-keys.ts';
export { compilePolicies, type Decision, type PolicyRequest } from './src/iam/iam-policy.ts';
export { credentialsOfPrincipals } from './src/iam/outside-principals.ts';
export { type Principal, principalInRole } from './src/iam/principal.ts';
export { startMacService } from './src/kms/mac-service.ts';
export { readQueues } from './src/sqs/queue-definitions.ts';
export { compileQueuePolicies, readQueuePolicies } from './src/sqs/queue-policies.ts';
export { startQueueService } from './src/sqs/queue-service.ts';
