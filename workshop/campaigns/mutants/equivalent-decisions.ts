/** Mutants of sources that behave as the program does, by the argument why no test can distinguish them. */
export const equivalentDecisions: Readonly<Record<string, readonly string[]>> = {
  'The compiler asks for the clause. What it excludes, another one excludes too, or it cannot be.': [
    'lambdas/domain/api-key.ts: parseKey: "!unchecked || !companyId || !keyId || checksum !== checksumOf(unchecked)" as "!companyId || !keyId || checksum !== checksumOf(unchecked)"',
    'lambdas/domain/api-key.ts: inspectKey: "!unchecked || !companyId || !keyId || Number.isNaN(expiresAtMs)" as "!companyId || !keyId || Number.isNaN(expiresAtMs)"',
    'lambdas/domain/api-key.ts: parseKey: "!unchecked || !companyId || !keyId || checksum !== checksumOf(unchecked)" as "!unchecked || !keyId || checksum !== checksumOf(unchecked)"',
    'lambdas/domain/api-key.ts: inspectKey: "!unchecked || !companyId || !keyId || Number.isNaN(expiresAtMs)" as "!unchecked || !keyId || Number.isNaN(expiresAtMs)"',
    'lambdas/domain/api-key.ts: parseKey: "!unchecked || !companyId || !keyId || checksum !== checksumOf(unchecked)" as "!unchecked || !companyId || checksum !== checksumOf(unchecked)"',
    'lambdas/domain/api-key.ts: inspectKey: "!unchecked || !companyId || !keyId || Number.isNaN(expiresAtMs)" as "!unchecked || !companyId || Number.isNaN(expiresAtMs)"',
    'lambdas/chain/every-answer.ts: addHeaders: "!response" as "false"',
    `lambdas/chain/input.ts: isJson: "value ?? ''" as "value"`,
    'lambdas/runtime/process-memory.ts: createMemory: "values.size > maxEntries && oldest !== undefined" as "values.size > maxEntries"',
    'lambdas/domain/webhook-message.ts: isSuccess: "status !== null && status >= 200 && status < 300" as "status >= 200 && status < 300"',
    `lambdas/domain/webhook-message.ts: revisedEnding: "ending.kind === 'disabled' && ending.because === 'contract-ended'" as "ending.because === 'contract-ended'"`,
    'lambdas/domain/webhook.ts: webhookUrlFault: "/^(.*?)(?::(\\d*))?$/.exec(authority) ?? []" as "/^(.*?)(?::(\\d*))?$/.exec(authority)"',
    'lambdas/domain/webhook-message.ts: retryAfterMsOf: "header === undefined" as "false"',
    'lambdas/domain/open-change.ts: expiredAt: "validUntilMs !== undefined && validUntilMs <= nowMs" as "validUntilMs <= nowMs"',
    'lambdas/domain/feed-event.ts: hiddenBecause: "day !== undefined && day < newestDayAt(seesSinceMs(contract, grant))" as "day < newestDayAt(seesSinceMs(contract, grant))"',
    'lambdas/domain/idempotency-key.ts: parseIdempotencyKey: "value !== undefined && visibleAscii.test(value)" as "visibleAscii.test(value)"',
  ],
  'The compiler asks for it. It is shown only of a request with a key, to which the time is added together with it.': [
    'lambdas/chain/every-answer.ts: bucketOf: "seenArrivalMs = 0" as "seenArrivalMs = 1"',
    'lambdas/chain/every-answer.ts: bucketOf: "seenArrivalMs = 0" as "seenArrivalMs = -1"',
  ],
  'The clock of a process begins at 0.': ['lambdas/chain/every-answer.ts: memoryReader: "nextMs = 0" as "nextMs = -1"'],
  'It saves the search for a length, which finds one that cuts nothing.': [
    'lambdas/runtime/log-lines.ts: fittingLine: "fits(line)" as "false"',
  ],
  'Both lie between the two, and the search ends at the same length.': [
    'lambdas/runtime/log-lines.ts: fittingLine: "Math.floor((fitting + tooLong) / 2)" as "Math.ceil((fitting + tooLong) / 2)"',
  ],
  'The compiler asks for the clause. Null compares as 0, and versions and times are positive.': [
    'lambdas/domain/consent.ts: acceptedConsent: "accepted !== null && acceptance.consentVersion < accepted" as "acceptance.consentVersion < accepted"',
    'lambdas/domain/consent.ts: beginOf: "consentBeganAtMs ?? Number.NEGATIVE_INFINITY" as "consentBeganAtMs"',
    'lambdas/domain/consent.ts: beginOf: "consentBeganClaimedAtMs ?? Number.NEGATIVE_INFINITY" as "consentBeganClaimedAtMs"',
  ],
  'What the last removal took along counts as absent since it: the same removal once more changes nothing.': [
    'lambdas/domain/gateway.ts: removed: "atMs <= inventory.removedAtMs" as "atMs < inventory.removedAtMs"',
  ],
  'The compiler asks for it: a part that is undefined is as none, and a change has what was before or is after it.': [
    'lambdas/feed/appliance-events.ts: gatewayEvents: "part !== undefined && { part }" as "{ part }"',
    'lambdas/feed/appliance-events.ts: receiptOf: "change.after ?? change.before ?? {}" as "change.after ?? change.before"',
  ],
  'No gateway was removed in the first millisecond of 1970.': [
    'lambdas/feed/appliance-events.ts: hasTurned: "Number(after.removedAtMs) > 0" as "Number(after.removedAtMs) > 1"',
  ],
  'The compiler asks for it. No fact but one about a fault has a code.': [
    'lambdas/feed/appliance-events.ts: changedFaults: "[...new Set([...Object.keys(old), ...Object.keys(facts)])] .filter(isFaultFact)" as "[...new Set([...Object.keys(old), ...Object.keys(facts)])]"',
  ],
  'Before and after have the same receipts here, since none is new, and the record is later than 1970.': [
    'lambdas/feed/appliance-events.ts: receiptOf: "change.after ?? change.before ?? {}" as "change.before ?? {}"',
    'lambdas/feed/appliance-events.ts: receiptOf: "time ?? 0" as "time ?? 1"',
    'lambdas/feed/appliance-events.ts: receiptOf: "time ?? 0" as "time ?? -1"',
  ],
  'Ranges that begin at the same address become one, in whatever order they come.': [
    'config/cidr.ts: byFirst: "a.first > b.first" as "a.first >= b.first"',
    'config/cidr.ts: byFirst: "a.first < b.first" as "a.first <= b.first"',
  ],
  'At the boundary both give the same: equal numbers, a bucket that is full, no tenth of a day.': [
    'config/cidr.ts: minimum: "a < b" as "a <= b"',
    'config/cidr.ts: maximum: "a > b" as "a >= b"',
    'lambdas/domain/token-bucket.ts: bucketStatus: "0" as "-1"',
    'lambdas/domain/key-notices.ts: daysLeft: "Math.max(0, expiresAtMs - nowMs)" as "Math.max(1, expiresAtMs - nowMs)"',
  ],
  'An empty range gives no block, and no range but an empty one however many holes are cut into it.': [
    'config/cidr.ts: withoutHole: "first < end" as "first <= end"',
  ],
  'What follows in the pattern takes four characters at least.': [
    'lambdas/api/host-name.ts: hostNamePattern: "/^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])$/" as "/^(?=.{2,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])$/"',
    'lambdas/api/host-name.ts: hostNamePattern: "/^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])$/" as "/^(?=.{0,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])$/"',
  ],
  'Of all texts that can come here, both patterns match the same, or what differs is refused next: an empty host, an empty key.':
    [
      'lambdas/domain/api-key.ts: fromCompactTimestamp: "/^(....)(..)(..T..)(..)(..)Z$/" as "/(....)(..)(..T..)(..)(..)Z$/"',
      'lambdas/domain/api-key.ts: fromCompactTimestamp: "/^(....)(..)(..T..)(..)(..)Z$/" as "/^(....)(..)(..T..)(..)(..)Z/"',
      'lambdas/domain/api-key.ts: toCompactTimestamp: "/\\.\\d+|[-:]/g" as "/\\.\\d*|[-:]/g"',
      'lambdas/domain/webhook.ts: webhookUrlFault: "/^(.*?)(?::(\\d*))?$/" as "/(.*?)(?::(\\d*))?$/"',
      'lambdas/domain/webhook.ts: webhookUrlFault: "/^(.*?)(?::(\\d*))?$/" as "/^(.+?)(?::(\\d*))?$/"',
      'lambdas/domain/idempotency-key.ts: unquoted: "/^"((?:[^"\\\\]|\\\\["\\\\])*)"$/" as "/^"((?:[^"\\\\]|\\\\["\\\\])+)"$/"',
      'lambdas/domain/rate-limits.ts: rateLimitKeyOf: "/\\{(\\w+)\\}/g" as "/\\{(\\w*)\\}/g"',
    ],
  'More or fewer bytes are drawn, or in more rounds, and as many of the first are used.': [
    'lambdas/domain/api-key.ts: derivedBytes: "2 * (keyIdDigits + secretDigits)" as "3 * (keyIdDigits + secretDigits)"',
    'lambdas/domain/encoding.ts: randomBase62: "digits.length < length" as "digits.length <= length"',
    'lambdas/domain/encoding.ts: randomBase62: "length * 2" as "length * 3"',
    'lambdas/domain/encoding.ts: randomBase62: "length * 2" as "length * 1"',
  ],
  'Any day does that every month has.': [
    'lambdas/domain/time.ts: addMonths: "result.setUTCDate(1)" as "result.setUTCDate(2)"',
  ],
  'No event, grant or report is of a time before 1970, or of its first millisecond.': [
    'lambdas/domain/feed-event.ts: consentedSince: "consentedSinceMs ?? 0" as "consentedSinceMs"',
    'lambdas/domain/feed-event.ts: consentedSince: "consentedSinceMs ?? 0" as "consentedSinceMs ?? -1"',
    'lambdas/domain/open-change.ts: permittedSince: "grantIn(contract, gatewayId)?.receivedAtMs ?? 0" as "grantIn(contract, gatewayId)?.receivedAtMs ?? -1"',
    'lambdas/feed/appliance-events.ts: shadowEvents: "dataSince(0)" as "dataSince(1)"',
    'lambdas/feed/appliance-events.ts: shadowEvents: "dataSince(0)" as "dataSince(-1)"',
  ],
  'Properties of one version were asked for by one request.': [
    'lambdas/domain/open-change.ts: newestOf: "each.version >= newest.version" as "each.version > newest.version"',
  ],
  'The compiler asks for it, or it saves work: an item of another kind, and none at all, has no holiday.': [
    `lambdas/feed/appliance-events.ts: shadowEvents: "kind === 'holiday' && after !== undefined && toHoliday({ ...after }).reported.holiday !== null" as "after !== undefined && toHoliday({ ...after }).reported.holiday !== null"`,
    `lambdas/feed/appliance-events.ts: shadowEvents: "kind === 'holiday' && after !== undefined && toHoliday({ ...after }).reported.holiday !== null" as "kind === 'holiday' && toHoliday({ ...after }).reported.holiday !== null"`,
  ],
  'No time of the clock is before either.': [
    'lambdas/domain/webhook-message.ts: signingVersions: "previousSecretUntilMs = 0" as "previousSecretUntilMs = -1"',
  ],
  'The last attempt is after 70 h 36 min, and the next would be three hours later.': [
    'lambdas/domain/webhook-message.ts: givenUpAfterMs: "72 * hour" as "73 * hour"',
    'lambdas/domain/webhook-message.ts: givenUpAfterMs: "72 * hour" as "71 * hour"',
    'lambdas/domain/webhook-message.ts: retryOffsetsMs: "at <= givenUpAfterMs" as "at < givenUpAfterMs"',
  ],
  'The first part alone is used.': [
    'lambdas/domain/webhook.ts: webhookUrlFault: "url.slice(scheme.length).split(/[/?]/, 1)" as "url.slice(scheme.length).split(/[/?]/, 2)"',
  ],
  'A sort asks only whether the result is negative, and no two levels are the same.': [
    'lambdas/domain/level-setpoints.ts: levelsInOrder: "one.level < other.level" as "one.level <= other.level"',
    'lambdas/domain/level-setpoints.ts: levelsInOrder: "-1" as "-2"',
    'lambdas/domain/level-setpoints.ts: levelsInOrder: "one.level < other.level ? -1 : 1" as "one.level < other.level ? -1 : 2"',
    'lambdas/domain/level-setpoints.ts: levelsInOrder: "one.level < other.level ? -1 : 1" as "one.level < other.level ? -1 : 0"',
  ],
};
