/** The place in AuditLog of what was done to messages; they are of no one company. */
export const queueActsOf = (stackName: string): string => `${stackName}/queues`;
