const keys = 'lambdas/data/api-keys';
const creation = `${keys}/api-key-creation.ts: createApiKey`;
const deletion = `${keys}/api-key-deletion.ts: deleteApiKey`;
const creationOnce = `${keys}/api-key-creation.ts: createApiKeyOnce`;
const repeat = `${keys}/api-key-creation.ts: repeat`;
const consumption = 'lambdas/data/token-buckets.ts: consumeIfNotFull';

/**
 * Mutants that behave as the program does, each with the argument why no test can distinguish them. An entry without a sender
 * applies to every sender.
 */
const equivalents: readonly { readonly mutants: readonly string[]; readonly because: string }[] = [
  {
    mutants: [creation, deletion, creationOnce, repeat].map(
      (sender) => `${sender}: ConditionCheck ApiKeys KEY#, without "attribute_exists(sk)"`,
    ),
    because: 'Of a key that is absent no expiry is later than now either: the other clause is false.',
  },
  {
    mutants: [creation, creationOnce].map((sender) => `${sender}: Put ApiKeys KEY#, without its condition`),
    because:
      'The id was made a moment ago of 95 random bits, so no key has it. The condition is for keys that an operator brings.',
  },
  {
    mutants: ['lambdas/data/webhooks/webhook-lifecycle.ts: addWebhook: Put Webhooks WEBHOOK#, without its condition'],
    because: 'The id was made a moment ago of 131 random bits, so no webhook has it.',
  },
  {
    mutants: ['lambdas/data/feed/append.ts: withoutDone: BatchGet Events, not strongly consistent'],
    because: 'An append that is based on an old read fails its condition and is tried again.',
  },
  {
    mutants: [': Put AuditLog, without its condition'],
    because: 'The key of the row ends in a random UUID of that moment, so no row has it.',
  },
  {
    mutants: ['lambdas/data/api-keys/api-keys.ts: recordKeyUse: Update ApiKeys KEY#, without "attribute_exists(sk)"'],
    because: 'Of a key that is absent the day of use is neither null nor earlier: the other clause is false.',
  },
  {
    mutants: [`${deletion}: ConditionCheck ApiKeys SLOT#, without "attribute_not_exists(sk)"`],
    because: 'Of a slot that is absent the holder differs from every key: the other clause is true.',
  },
  {
    mutants: [
      'lambdas/data/appliances/requested-changes.ts: requestChange: Update Appliances shadow, without "attribute_not_exists(desired)"',
    ],
    because: 'Whoever adds what is desired adds one to the version too, so the other clause is false then.',
  },
  {
    mutants: [
      `${consumption}: Update TokenBuckets, without "tat > :now"`,
      `${consumption}: Update TokenBuckets, "tat > :now" as "tat >= :now"`,
    ],
    because:
      'This form is sent for an arrival time that was seen after now, and arrival only grows: the clause is true whenever there is a record.',
  },
  {
    mutants: [
      'Put Appliances COMPANY#, without its condition',
      'Update Contracts, without its condition',
      'Update Contracts, without "attribute_not_exists(erasedAtMs)"',
      'Update Contracts, "attribute_not_exists(erasedAtMs)" as "attribute_exists(erasedAtMs)"',
    ].map((mutant) => `lambdas/data/contracts/grants.ts: grantGateway: ${mutant}`),
    because: 'A demo world is created by one caller, and nothing else changes it meanwhile.',
  },
  {
    mutants: [': ConditionCheck Contracts, without "erasedAtMs = :seen"'],
    because:
      'The row of an erasure always has its time. If the time was read as null, the row was absent, and the other clause decides.',
  },
  {
    mutants: [
      ': Put ApiKeys KEY#, without "companyId = :seen"',
      ': Put ApiKeys KEY#, without "sk = :seen"',
      ': Put Appliances, without "gatewayId = :seen"',
      ': Put Appliances, without "sk = :seen"',
    ],
    because: 'The attribute is part of the key of the item, and cannot differ.',
  },
];

export const equivalentMutants: readonly string[] = equivalents.flatMap(({ mutants }) => mutants);
