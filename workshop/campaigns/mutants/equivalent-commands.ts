const keys = 'lambdas/data/api-keys';
const creation = `${keys}/api-key-creation.ts: createApiKey`;
const deletion = `${keys}/api-key-deletion.ts: deleteApiKey`;
const creationOnce = `${keys}/api-key-creation.ts: createApiKeyOnce`;
const repeat = `${keys}/api-key-creation.ts: repeat`;
const consumption = 'lambdas/data/token-buckets.ts: consumeIfNotFull';

/**
 * Mutants of commands that behave as the program does, by the argument why no test can distinguish them. An entry without a
 * sender applies to every sender.
 */
export const equivalentCommands: Readonly<Record<string, readonly string[]>> = {
  'Of a key that is absent no expiry is later than now either: the other clause is false.': [
    creation,
    deletion,
    creationOnce,
    repeat,
  ].map((sender) => `${sender}: ConditionCheck ApiKeys KEY#, without "attribute_exists(sk)"`),
  'The id was made a moment ago of 95 random bits, so no key has it. The condition is for keys that an operator brings.':
    [creation, creationOnce].map((sender) => `${sender}: Put ApiKeys KEY#, without its condition`),
  'The id was made a moment ago of 131 random bits, so no webhook has it.': [
    'lambdas/data/webhooks/webhook-lifecycle.ts: addWebhook: Put Webhooks WEBHOOK#, without its condition',
  ],
  'An append that is based on an old read fails its condition and is tried again.': [
    'lambdas/data/feed/append.ts: withoutDone: BatchGet Events, not strongly consistent',
  ],
  'The key of the row ends in a random UUID of that moment, so no row has it.': [
    ': Put AuditLog, without its condition',
  ],
  'Of a key that is absent the day of use is neither null nor earlier: the other clause is false.': [
    'lambdas/data/api-keys/api-keys.ts: recordKeyUse: Update ApiKeys KEY#, without "attribute_exists(sk)"',
  ],
  'Of a slot that is absent the holder differs from every key: the other clause is true.': [
    `${deletion}: ConditionCheck ApiKeys SLOT#, without "attribute_not_exists(sk)"`,
  ],
  'Whoever adds what is desired adds one to the version too, so the other clause is false then.': [
    'lambdas/data/appliances/requested-changes.ts: requestChange: Update Appliances shadow, without "attribute_not_exists(desired)"',
  ],
  'This form is sent for an arrival time that was seen after now, and arrival only grows: the clause is true whenever there is a record.':
    [
      `${consumption}: Update TokenBuckets, without "tat > :now"`,
      `${consumption}: Update TokenBuckets, "tat > :now" as "tat >= :now"`,
    ],
  'A demo world is created by one caller, and nothing else changes it meanwhile.': [
    'Put Appliances COMPANY#, without its condition',
    'Update Contracts, without its condition',
    'Update Contracts, without "attribute_not_exists(erasedAtMs)"',
    'Update Contracts, "attribute_not_exists(erasedAtMs)" as "attribute_exists(erasedAtMs)"',
  ].map((mutant) => `lambdas/data/contracts/grants.ts: grantGateway: ${mutant}`),
  'The row of an erasure always has its time. If the time was read as null, the row was absent, and the other clause decides.':
    [': ConditionCheck Contracts, without "erasedAtMs = :seen"'],
  'The attribute is part of the key of the item, and cannot differ.': [
    ': Put ApiKeys KEY#, without "companyId = :seen"',
    ': Put ApiKeys KEY#, without "sk = :seen"',
    ': Put Appliances, without "gatewayId = :seen"',
    ': Put Appliances, without "sk = :seen"',
  ],
};
