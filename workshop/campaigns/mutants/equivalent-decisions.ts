const domain = 'lambdas/domain';

/** Mutants of sources that behave as the program does, each with the argument why no test can distinguish them. */
const equivalents: readonly { readonly mutants: readonly string[]; readonly because: string }[] = [
  {
    mutants: [
      ...['!unchecked', '!companyId', '!keyId'].flatMap((clause) => [
        `${domain}/api-key.ts: parseKey: without "${clause}" of "!unchecked || !companyId || !keyId || checksum !== checksumOf(unchecked)"`,
        `${domain}/api-key.ts: inspectKey: without "${clause}" of "!unchecked || !companyId || !keyId || Number.isNaN(expiresAtMs)"`,
      ]),
      `lambdas/chain/every-answer.ts: addHeaders: "!response" as "false"`,
      `lambdas/chain/input.ts: isJson: without "''" of "value ?? ''"`,
      `lambdas/runtime/process-memory.ts: createMemory: without "oldest !== undefined" of "values.size > maxEntries && oldest !== undefined"`,
      `${domain}/webhook-message.ts: isSuccess: without "status !== null" of "status !== null && status >= 200 && status < 300"`,
      `${domain}/webhook-message.ts: revisedEnding: without "ending.kind === 'disabled'" of "ending.kind === 'disabled' && ending.because === 'contract-ended'"`,
      `${domain}/webhook.ts: webhookUrlFault: without "[]" of "/^(.*?)(?::(\\d*))?$/.exec(authority) ?? []"`,
      `${domain}/webhook-message.ts: retryAfterMsOf: "header === undefined" as "false"`,
      `${domain}/feed-event.ts: hiddenBecause: without "day !== undefined" of "day !== undefined && day < newestDayAt(seesSinceMs(contract, grant))"`,
      `${domain}/idempotency-key.ts: parseIdempotencyKey: without "value !== undefined" of "value !== undefined && visibleAscii.test(value)"`,
    ],
    because: 'The compiler asks for the clause. What it excludes, another one excludes too, or it cannot be.',
  },
  {
    mutants: [1, -1].map(
      (ms) => `lambdas/chain/every-answer.ts: bucketOf: "seenArrivalMs = 0" as "seenArrivalMs = ${ms}"`,
    ),
    because:
      'The compiler asks for it. It is shown only of a request with a key, to which the time is added together with it.',
  },
  {
    mutants: [`lambdas/chain/every-answer.ts: memoryReader: "nextMs = 0" as "nextMs = -1"`],
    because: 'The clock of a process begins at 0.',
  },
  {
    mutants: [`lambdas/runtime/log-lines.ts: fittingLine: "fits(line)" as "false"`],
    because: 'It saves the search for a length, which finds one that cuts nothing.',
  },
  {
    mutants: [
      `lambdas/runtime/log-lines.ts: fittingLine: "Math.floor((fitting + tooLong) / 2)" as "Math.ceil((fitting + tooLong) / 2)"`,
    ],
    because: 'Both lie between the two, and the search ends at the same length.',
  },
  {
    mutants: [
      'lambdas/domain/consent.ts: acceptedConsent: without "accepted !== null" of "accepted !== null && acceptance.consentVersion < accepted"',
      ...['consentBeganAtMs', 'consentBeganClaimedAtMs'].map(
        (time) =>
          `lambdas/domain/consent.ts: beginOf: without "Number.NEGATIVE_INFINITY" of "${time} ?? Number.NEGATIVE_INFINITY"`,
      ),
    ],
    because: 'The compiler asks for the clause. Null compares as 0, and versions and times are positive.',
  },
  {
    mutants: ['lambdas/domain/gateway.ts: removed: "atMs <= inventory.removedAtMs" as "atMs < inventory.removedAtMs"'],
    because: 'What the last removal took along counts as absent since it: the same removal once more changes nothing.',
  },
  {
    mutants: [
      'without "part !== undefined" of "part !== undefined && { part }"',
      'without "{}" of "change.after ?? change.before ?? {}"',
    ].map(
      (change) =>
        `lambdas/feed/appliance-events.ts: ${change.includes('part') ? 'gatewayEvents' : 'receiptOf'}: ${change}`,
    ),
    because:
      'The compiler asks for it: a part that is undefined is as none, and a change has what was before or is after it.',
  },
  {
    mutants: [
      'lambdas/feed/appliance-events.ts: hasTurned: "Number(after.removedAtMs) > 0" as "Number(after.removedAtMs) > 1"',
    ],
    because: 'No gateway was removed in the first millisecond of 1970.',
  },
  {
    mutants: [
      'lambdas/feed/appliance-events.ts: changedFaults: "[...new Set([...Object.keys(old), ...Object.keys(facts)])] .filter(isFaultFact)" as "[...new Set([...Object.keys(old), ...Object.keys(facts)])]"',
    ],
    because: 'The compiler asks for it. No fact but one about a fault has a code.',
  },
  {
    mutants: [
      'lambdas/feed/appliance-events.ts: receiptOf: without "change.after" of "change.after ?? change.before ?? {}"',
      ...[1, -1].map((number) => `lambdas/feed/appliance-events.ts: receiptOf: "time ?? 0" as "time ?? ${number}"`),
    ],
    because: 'Before and after have the same receipts here, since none is new, and the record is later than 1970.',
  },
  {
    mutants: [
      'byFirst: "a.first > b.first" as "a.first >= b.first"',
      'byFirst: "a.first < b.first" as "a.first <= b.first"',
    ].map((change) => `config/cidr.ts: ${change}`),
    because: 'Ranges that begin at the same address become one, in whatever order they come.',
  },
  {
    mutants: [
      'config/cidr.ts: minimum: "a < b" as "a <= b"',
      'config/cidr.ts: maximum: "a > b" as "a >= b"',
      'lambdas/domain/token-bucket.ts: bucketStatus: "0" as "-1"',
      `${domain}/key-notices.ts: daysLeft: "Math.max(0, expiresAtMs - nowMs)" as "Math.max(1, expiresAtMs - nowMs)"`,
    ],
    because: 'At the boundary both give the same: equal numbers, a bucket that is full, no tenth of a day.',
  },
  {
    mutants: ['config/cidr.ts: withoutHole: "first < end" as "first <= end"'],
    because: 'An empty range gives no block, and no range but an empty one however many holes are cut into it.',
  },
  {
    mutants: ['{2,253}', '{0,253}'].map(
      (bounds) => `lambdas/api/host-name.ts: hostNamePattern: pattern with "${bounds}" for "{1,253}"`,
    ),
    because: 'What follows in the pattern takes four characters at least.',
  },
  {
    mutants: [
      `${domain}/api-key.ts: fromCompactTimestamp: pattern with "" for "^"`,
      `${domain}/api-key.ts: fromCompactTimestamp: pattern with "" for "$"`,
      `${domain}/api-key.ts: toCompactTimestamp: pattern with "*" for "+"`,
      `${domain}/webhook.ts: webhookUrlFault: pattern with "" for "^" (2)`,
      `${domain}/webhook.ts: webhookUrlFault: pattern with "+" for "*" (2)`,
      `${domain}/idempotency-key.ts: unquoted: pattern with "+" for "*"`,
      'lambdas/domain/rate-limits.ts: rateLimitKeyOf: pattern with "*" for "+"',
    ],
    because:
      'Of all texts that can come here, both patterns match the same, or what differs is refused next: an empty host, an empty key.',
  },
  {
    mutants: [
      `${domain}/api-key.ts: derivedBytes: "2 * (keyIdDigits + secretDigits)" as "3 * (keyIdDigits + secretDigits)"`,
      'lambdas/domain/encoding.ts: randomBase62: "digits.length < length" as "digits.length <= length"',
      ...[3, 1].map((factor) => `lambdas/domain/encoding.ts: randomBase62: "length * 2" as "length * ${factor}"`),
    ],
    because: 'More or fewer bytes are drawn, or in more rounds, and as many of the first are used.',
  },
  {
    mutants: ['lambdas/domain/time.ts: addMonths: "result.setUTCDate(1)" as "result.setUTCDate(2)"'],
    because: 'Any day does that every month has.',
  },
  {
    mutants: [
      'lambdas/domain/feed-event.ts: consentedSince: without "0" of "consentedSinceMs ?? 0"',
      ...[1, -1].map(
        (ms) => `lambdas/domain/feed-event.ts: consentedSince: "consentedSinceMs ?? 0" as "consentedSinceMs ?? ${ms}"`,
      ),
      'lambdas/domain/open-change.ts: permittedSince: "grantIn(contract, gatewayId)?.receivedAtMs ?? 0" as "grantIn(contract, gatewayId)?.receivedAtMs ?? -1"',
      ...[1, -1].map((ms) => `lambdas/feed/appliance-events.ts: shadowEvents: "dataSince(0)" as "dataSince(${ms})"`),
    ],
    because: 'No event, grant or report is of a time before 1970, or of its first millisecond.',
  },
  {
    mutants: [
      'lambdas/domain/open-change.ts: newestOf: "each.version >= newest.version" as "each.version > newest.version"',
    ],
    because: 'Properties of one version were asked for by one request.',
  },
  {
    mutants: [`kind === 'holiday'`, 'after !== undefined'].map(
      (clause) =>
        `lambdas/feed/appliance-events.ts: shadowEvents: without "${clause}" of "kind === 'holiday' && after !== undefined && toHoliday({ ...after }).reported.holiday !== null"`,
    ),
    because: 'The compiler asks for it, or it saves work: an item of another kind, and none at all, has no holiday.',
  },
  {
    mutants: [
      `${domain}/webhook-message.ts: signingVersions: "previousSecretUntilMs = 0" as "previousSecretUntilMs = -1"`,
    ],
    because: 'No time of the clock is before either.',
  },
  {
    mutants: [
      ...[73, 71].map((days) => `${domain}/webhook-message.ts: givenUpAfterMs: "72 * hour" as "${days} * hour"`),
      `${domain}/webhook-message.ts: retryOffsetsMs: "at <= givenUpAfterMs" as "at < givenUpAfterMs"`,
    ],
    because: 'The last attempt is after 70 h 36 min, and the next would be three hours later.',
  },
  {
    mutants: [
      `${domain}/webhook.ts: webhookUrlFault: "url.slice(scheme.length).split(/[/?]/, 1)" as "url.slice(scheme.length).split(/[/?]/, 2)"`,
    ],
    because: 'The first part alone is used.',
  },
];

export const equivalentDecisions: readonly string[] = equivalents.flatMap(({ mutants }) => mutants);
