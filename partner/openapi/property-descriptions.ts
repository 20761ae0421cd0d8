import { maxReportedErrors, maxValidKeysPerCompany, pageSize } from '../../lambdas/api/limits.ts';

/**
 * What a property means, with its unit. Beside the schemas instead of in them, so that no function has to load what only
 * readers need (docs/decisions/0035). Under `<owner>.<property>` where the same name means something else elsewhere; the
 * owner is a schema, a property of objects, or the code of a problem.
 */
export const propertyDescriptions: Readonly<Record<string, string>> = {
  // keys
  apiKey: 'The whole key. Shown in this answer only; the service keeps a hash of it.',
  keyId: 'Id of an API key: the part of it that is no secret.',
  createdAt: 'When the key was created, UTC.',
  createdByKeyId: 'Id of the key that created this one; null for a key that the operator issued.',
  expiresAt: 'The key is valid before this moment, UTC.',
  'ApiKey.state': 'Whether the key has expired; an expired one stays in the list until it is deleted.',
  lastUsedOn: 'The last day, UTC, on which the key was used; null if it never was.',
  inUse: 'True for the key that authenticates this very request; it cannot be deleted with itself.',
  companyId: 'Id of the company that the key belongs to.',
  sourceIp: 'The address that this request came from.',
  validKeys: 'Number of keys of the company that have not expired.',
  maxValidKeys: `Number of valid keys that a company may have: ${maxValidKeysPerCompany}.`,
  lastValidKeyExpiresAt: 'When the last of the valid keys expires, UTC: from then on only the operator can issue one.',

  // contract
  userId: 'Id of the appliance owner on whose behalf the company acts; to be sent as x-user-id.',
  'Contract.state': 'Remote control needs an active contract.',
  since: 'When the contract began, UTC.',
  consent: 'What the owner has consented to.',
  requiredVersion: 'The consent version that the owner has to have accepted.',
  acceptedVersion: 'The consent version that the owner has accepted last; null for none.',
  acceptedAt: 'When the owner accepted it, UTC; null for never.',
  upToDate: 'Whether remote control is covered by the consent.',
  portalUrl: 'Where the owner accepts the latest consent version.',

  // gateways
  gatewayId: 'Id of a gateway, the appliance’s connection to the service.',
  'Gateway.name': 'Name of the gateway, as its owner sees it.',
  'Gateway.type': 'Kind of gateway.',
  connectivity:
    'Whether the gateway can be reached now. In the answer to a change: whether the change can be taken now.',
  lastSeenAt: 'When the gateway last reported, UTC.',
  components: 'What the appliance is made of.',
  componentId: 'Id of a component within its gateway.',
  'components.type': 'Kind of component.',
  model: 'Model of the component.',
  serialNumber: 'Serial number of the component; absent where it has none.',
  blockedFunctions: 'What the appliance blocks for a while to protect itself; changes are refused as long.',
  function: 'What is blocked: changes of circuits or of time programs, of heating or of hot water (dhw).',
  blockedSince: 'When the appliance began to block, UTC.',
  blockedUntil: 'When the appliance will take changes again, UTC; null where it does not know.',
  limits: 'What a time program of the appliance can hold.',
  maxSwitchPoints: 'Number of switch points in a time program, at most.',
  maxSwitchPointsPerDay: 'Number of switch points on one day of the week, at most.',
  switchPointRasterMinutes: 'The time of a switch point is a multiple of so many minutes.',

  // circuits and time programs
  circuitId: 'Id of a circuit within its gateway and kind.',
  operationMode: 'How the circuit is run; `auto` follows its active time program.',
  roomSetpointCelsius: 'Desired room temperature in degrees Celsius.',
  waterSetpointCelsius: 'Desired hot-water temperature in degrees Celsius.',
  activeTimeProgramId: 'Id of the time program that the circuit follows.',
  roomTemperatureCelsius: 'Measured room temperature in degrees Celsius; null where the sensor is open or short.',
  supplyTemperatureCelsius:
    'Measured temperature of the water that flows to the radiators in degrees Celsius; null where the sensor is open or short.',
  waterTemperatureCelsius: 'Measured hot-water temperature in degrees Celsius; null where the sensor is open or short.',
  state: '`pending` from a change until the appliance reports that it has taken it, `confirmed` then.',
  version: 'Grows with every change, not with what is reported; the ETag holds it.',
  reportedAt: 'When the appliance last reported, UTC.',
  timeProgramId: 'Id of a time program within its circuit.',
  name: 'Name of the time program: 1 to 60 characters, none of them a control character.',
  switchPoints: 'What is set when, each week anew. At most one point per day and time; the limits are the gateway’s.',
  dayOfWeek: 'Day of the week at the appliance.',
  time: 'Time of day as HH:mm, the appliance’s local time, on the raster of the gateway.',
  setpoint: 'Level from this time on, until the next switch point.',

  // lists
  items: 'The items of this page.',
  nextCursor: 'To be sent as `cursor` for the next page; null on the last.',
  'query.limit': `Number of items on a page, ${pageSize.default} if absent.`,
  'query.cursor': 'The `nextCursor` of the page before, unchanged.',

  // problems
  type: 'URI of the kind of problem.',
  title: 'What happened, the same for every occurrence.',
  status: 'The HTTP status.',
  detail: 'What to do about it.',
  code: 'The kind of problem, to be told apart by programs.',
  requestId: 'Id of the request, as in x-request-id; name it to the operator.',
  errors: `What is wrong in the request, up to ${maxReportedErrors} faults.`,
  pointer: 'JSON pointer to what is wrong, from /path, /query, /header or /body on.',
  'errors.detail': 'What was expected there.',
  requiredConsentVersion: 'The consent version that the owner has to accept.',
  acceptedConsentVersion: 'The consent version that the owner has accepted last; null for none.',
  'api-key-limit-reached.validKeys': 'The valid keys of the company.',
  policy: 'The rate policy that refused.',
  counter: 'What the requests are counted for.',
  'counter.companyId': 'All keys of the company share the counter.',
  'counter.gatewayId': 'The gateway in the path; absent where there is none.',
  endpoint: 'The operation that is counted.',
  path: 'The path that is counted, with its ids, without its query.',
  limit: 'The numbers of the rate policy.',
  burst: 'Number of requests that an unused counter admits at once.',
  refillIntervalMs: 'Milliseconds from one token to the next.',
  retryAfterMs: 'Milliseconds until the next token. Retry-After is the same in whole seconds, rounded up.',
};

export const descriptionKeyOf = (owner: string, property: string): string =>
  `${owner}.${property}` in propertyDescriptions ? `${owner}.${property}` : property;

export const descriptionOf = (owner: string, property: string): string => {
  const description = propertyDescriptions[descriptionKeyOf(owner, property)];
  if (description === undefined) throw new Error(`${owner}.${property} is described nowhere.`);
  return description;
};
