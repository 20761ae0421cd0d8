import { type Applies, type Condition, inOrder } from './step-row.ts';

/**
 * The way of a request through its function, in order. A step reads facts and adds facts, or refuses with one of its
 * problems; `chain/steps/` has a file for each, whose types follow from its row.
 */
export const chain = inOrder([
  {
    name: 'presentedKey',
    reads: ['event'],
    adds: ['presentedKey'],
    problems: ['api-key-missing', 'api-key-invalid'],
  },
  {
    name: 'pathIds',
    appliesTo: { pathHas: '{' },
    reads: ['event'],
    adds: ['pathIds'],
    problems: ['invalid-request'],
  },
  { name: 'rateLimitKey', reads: ['presentedKey'], mayRead: ['pathIds'], adds: ['rateLimitKey', 'ratePolicy'] },
  {
    name: 'keyLookup',
    reads: ['store', 'memory', 'presentedKey', 'sourceIp', 'nowMs', 'processTimeMs'],
    adds: ['foundKey'],
    problems: ['rate-limit-exceeded', 'api-key-invalid', 'api-key-expired'],
    tableActions: { ApiKeys: ['GetItem'] },
  },
  {
    name: 'tokenAhead',
    reads: ['store', 'memory', 'presentedKey', 'sourceIp', 'rateLimitKey', 'ratePolicy', 'nowMs'],
    adds: ['tokenAhead'],
    tableActions: { TokenBuckets: ['UpdateItem'] },
  },
  {
    name: 'lookup',
    reads: ['store', 'presentedKey', 'foundKey', 'rateLimitKey', 'tokenAhead'],
    mayRead: ['pathIds'],
    adds: ['lookup', 'seenArrivalMs'],
    tableActions: { ApiKeys: ['BatchGetItem'], Contracts: ['BatchGetItem'], TokenBuckets: ['BatchGetItem'] },
  },
  {
    name: 'keyValidity',
    reads: ['memory', 'presentedKey', 'lookup', 'nowMs'],
    adds: ['key'],
    problems: ['api-key-invalid', 'api-key-expired'],
  },
  {
    name: 'company',
    reads: ['lookup'],
    adds: ['contract'],
    problems: ['contract-not-found', 'company-suspended'],
  },
  { name: 'sourceAddress', reads: ['contract', 'sourceIp'], problems: ['source-address-not-allowed'] },
  {
    name: 'unknownGateway',
    appliesTo: { pathHas: '{gatewayId}' },
    reads: ['store', 'memory', 'lookup', 'presentedKey', 'sourceIp', 'rateLimitKey', 'ratePolicy', 'seenArrivalMs'],
    adds: ['rateLimitKey', 'ratePolicy', 'seenArrivalMs'],
    tableActions: { TokenBuckets: ['GetItem'] },
  },
  { name: 'preloads', reads: ['store', 'lookup'], mayRead: ['pathIds'], adds: ['preloaded'] },
  {
    name: 'consumeToken',
    reads: ['store', 'rateLimitKey', 'ratePolicy', 'seenArrivalMs', 'tokenAhead', 'nowMs'],
    adds: ['tokenDecision'],
    tableActions: { TokenBuckets: ['UpdateItem'] },
  },
  { name: 'admissionMemory', reads: ['memory', 'presentedKey', 'sourceIp', 'rateLimitKey', 'tokenDecision'] },
  {
    name: 'rateLimit',
    reads: ['tokenDecision', 'rateLimitKey', 'ratePolicy', 'nowMs'],
    problems: ['rate-limit-exceeded'],
  },
  {
    name: 'keyUsage',
    reads: ['store', 'key', 'nowMs'],
    adds: ['keyUse'],
    tableActions: { ApiKeys: ['UpdateItem'] },
  },
  {
    name: 'activeContract',
    appliesTo: { has: 'onBehalfOfUser' },
    reads: ['contract'],
    problems: ['contract-not-active'],
  },
  {
    name: 'userId',
    appliesTo: { has: 'onBehalfOfUser' },
    reads: ['event', 'contract'],
    problems: ['user-id-missing', 'user-id-mismatch'],
  },
  {
    name: 'gatewayGrant',
    appliesTo: { pathHas: '{gatewayId}' },
    reads: ['lookup'],
    problems: ['gateway-not-in-contract'],
  },
  {
    name: 'consent',
    appliesTo: { has: 'onBehalfOfUser' },
    reads: ['contract'],
    problems: ['consent-outdated'],
    settings: ['requiredConsentVersion', 'consentPortalUrl'],
  },
  {
    name: 'query',
    appliesTo: { has: 'query' },
    reads: ['event'],
    adds: ['query'],
    problems: ['invalid-request'],
  },
  {
    name: 'idempotencyKey',
    appliesTo: { has: 'idempotencyKey' },
    reads: ['event'],
    adds: ['idempotencyKey'],
    problems: ['invalid-request'],
  },
  { name: 'ifMatch', appliesTo: { has: 'ifMatch' }, reads: ['event'], adds: ['ifMatch'] },
  {
    name: 'body',
    appliesTo: { has: 'body' },
    reads: ['event'],
    adds: ['body'],
    problems: ['unsupported-media-type', 'body-too-large', 'invalid-request'],
  },
  {
    name: 'circuit',
    appliesTo: { preloads: 'circuit' },
    reads: ['preloaded'],
    adds: ['circuit'],
    problems: ['circuit-not-found'],
    tableActions: { Appliances: ['BatchGetItem'] },
  },
  {
    name: 'timeProgram',
    appliesTo: { preloads: 'timeProgram' },
    reads: ['preloaded'],
    adds: ['timeProgram'],
    problems: ['time-program-not-found'],
    tableActions: { Appliances: ['BatchGetItem'] },
  },
  {
    name: 'gateway',
    appliesTo: { preloads: 'gateway' },
    reads: ['preloaded'],
    adds: ['gateway'],
    tableActions: { Appliances: ['BatchGetItem'] },
  },
  { name: 'auditContext', reads: ['key', 'contract', 'requestId', 'nowMs'], adds: ['auditContext'] },
]);

type Rows = (typeof chain)[number];
export type StepName = Rows['name'];
export type StepRowOf<Name extends StepName> = Extract<Rows, { readonly name: Name }>;

/** The rows of the steps that an endpoint passes, by the type of its own row. */
export type StepsOf<Row, Step = Rows> = Step extends { readonly appliesTo: infer Where extends Condition }
  ? Applies<Where, Row> extends true
    ? Step
    : never
  : Step;
