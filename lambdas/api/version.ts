/** The API Gateway stage: the major version, first segment of every path. */
export const apiStage = 'v1';

/** Sent as `x-api-version`; the minor grows with every additive change within the major. */
export const apiVersion = '1.2';
