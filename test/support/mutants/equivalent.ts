const creation = 'lambdas/data/api-keys/api-key-creation.ts';
const deletion = 'lambdas/data/api-keys/api-key-deletion.ts';
const idempotentCreation = 'lambdas/data/api-keys/idempotent-creation.ts';
const requestedChanges = 'lambdas/data/appliances/requested-changes.ts';
const tokenBuckets = 'lambdas/data/rate-limits/token-buckets.ts';
const keyCopy = 'operator/restore/key-copy.ts';

/** Put an audit row with what they change. */
const recorders = [
  ...[creation, deletion, idempotentCreation, requestedChanges, keyCopy],
  ...['contract-changes', 'grants'].map((name) => `lambdas/data/contracts/${name}.ts`),
  ...['api-key-issue', 'gateway-grants', 'onboarding'].map((name) => `operator/changes/${name}.ts`),
  ...['webhook-creation', 'webhook-verification', 'secret-rotation'].map((name) => `lambdas/data/webhooks/${name}.ts`),
  'operator/webhooks/webhook-change.ts',
  ...['appliance-copy', 'contract-copy', 'grant-rows', 'webhook-copy'].map((name) => `operator/restore/${name}.ts`),
  ...['change-resend', 'events-renew', 'restore-start', 'seam-dead-drop', 'seam-dead-redrive', 'seam-send'].map(
    (name) => `operator/commands/${name}.ts`,
  ),
];

/** Mutants that do what the program does, with the argument why no test can tell them from it. */
const equivalents: readonly { readonly mutants: readonly string[]; readonly because: string }[] = [
  {
    mutants: [creation, deletion, idempotentCreation].map(
      (sender) => `${sender}: ConditionCheck ApiKeys KEY#, without "attribute_exists(sk)"`,
    ),
    because: 'Of a key that is absent no expiry is later than now either: the other clause is false.',
  },
  {
    mutants: [creation, idempotentCreation].map((sender) => `${sender}: Put ApiKeys KEY#, without its condition`),
    because:
      'The id was made a moment ago of 95 random bits, so no key has it. The condition is for keys that an operator brings.',
  },
  {
    mutants: ['lambdas/data/webhooks/webhook-creation.ts: Put Webhooks WEBHOOK#, without its condition'],
    because: 'The id was made a moment ago of 131 random bits, so no webhook has it.',
  },
  {
    mutants: [
      'lambdas/data/feed/append.ts: BatchGet Events, not strongly consistent',
      'lambdas/data/feed/read.ts: Query Events EVENT#, not strongly consistent',
    ],
    because:
      'What is appended after an old read fails its condition and is tried again; a page that is read ends before what is not to be seen yet.',
  },
  {
    mutants: recorders.map((sender) => `${sender}: Put AuditLog, without its condition`),
    because: 'The key of the row ends in a random UUID of that moment, so no row has it.',
  },
  {
    mutants: ['lambdas/data/api-keys/api-keys.ts: Update ApiKeys KEY#, without "attribute_exists(sk)"'],
    because: 'Of a key that is absent the day of use is neither null nor earlier: the other clause is false.',
  },
  {
    mutants: [`${deletion}: ConditionCheck ApiKeys SLOT#, without "attribute_not_exists(sk)"`],
    because: 'Of a slot that is absent the holder differs from every key: the other clause is true.',
  },
  {
    mutants: [`${requestedChanges}: Update Appliances shadow, without "attribute_not_exists(desired)"`],
    because: 'Whoever adds what is desired adds one to the version too, so the other clause is false then.',
  },
  {
    mutants: [
      `${tokenBuckets}: Update TokenBuckets, without "tat > :now"`,
      `${tokenBuckets}: Update TokenBuckets, "tat > :now" as "tat >= :now"`,
    ],
    because:
      'This form is sent for an arrival time that was seen after now, and arrival only grows: the clause is true whenever there is a record.',
  },
  {
    mutants: [
      'lambdas/data/contracts/grants.ts: Put Contracts CHANGED#, without "claimedAtMs < :claimed AND changedAtMs < :counts"',
    ],
    because: 'A first try that fails is followed by a second, which decides the same on what is there.',
  },
  {
    mutants: [
      'lambdas/data/contracts/contract-changes.ts: Update Contracts CONTRACT, without "companyId = :seen"',
      `${keyCopy}: Put ApiKeys KEY#, without "companyId = :seen"`,
      `${keyCopy}: Put ApiKeys KEY#, without "sk = :seen"`,
    ],
    because: 'The attribute is part of the key of the item, and cannot differ.',
  },
];

export const equivalentMutants: readonly string[] = equivalents.flatMap(({ mutants }) => mutants);
