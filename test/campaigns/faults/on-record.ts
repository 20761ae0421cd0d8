import assert from 'node:assert/strict';
import { auditIn, keysFitSlots, keysIn, validKeyIds } from '../interleavings/scenarios/rows.ts';
import { rowsOf, type Tables } from '../interleavings/store/tables.ts';
import { type Exchange, expectedVersionOf, itemKeyOf, requestIdOf, versionIn } from './exchange.ts';
import type { Partner } from './partner.ts';

const isChange = ({ operationId }: Exchange): boolean => /^(create|delete|rotate|update)/.test(operationId);

/** A webhook that is verified already is verified without a change. */
const mayChange = ({ operationId }: Exchange): boolean => operationId === 'verifyWebhook';

/** There are ten valid keys at most and one at least, which the company was shown, each with a slot of its own. */
export const keysHold = (tables: Tables, { shown }: Partner, nowMs: number): void => {
  keysFitSlots(tables, nowMs);
  const usable = validKeyIds(tables, nowMs).filter((keyId) => shown.has(keyId));
  assert(usable.length > 0, 'the company has no valid key left that it was shown');
};

/** The keys that exist are those on record as made and not as deleted, each once. */
export const keysAreThoseOnRecord = (tables: Tables): void => {
  const keyIdsOf = (...operations: string[]) =>
    auditIn(tables)
      .filter(({ operation }) => operations.includes(operation))
      .map(({ keyId }) => String(keyId));
  const [made, deleted] = [keyIdsOf('issue', 'createApiKey'), keyIdsOf('deleteApiKey')];
  assert.equal(new Set(made).size, made.length, 'a key is twice on record as made');
  assert.equal(new Set(deleted).size, deleted.length, 'a key is twice on record as deleted');
  assert.deepEqual(
    keysIn(tables)
      .map(({ keyId }) => keyId)
      .sort(),
    made.filter((keyId) => !deleted.includes(keyId)).sort(),
    'the keys that exist are not those on record as made and not as deleted',
  );
};

/** An answer that says of a change that it was made has its audit row; one that says that it was not made, other than 503, has none. */
export const answersAreOnRecord = (tables: Tables, { exchanges }: Partner): void => {
  // What the company was given before its first request is no answer's.
  const rows = auditIn(tables).filter(({ operation }) => !['issue', 'register'].includes(operation));
  const rowsOfRequest = Map.groupBy(rows, ({ requestId }) => requestId);
  for (const exchange of exchanges) {
    const { operationId, answer } = exchange;
    const count = rowsOfRequest.get(requestIdOf(exchange))?.length ?? 0;
    rowsOfRequest.delete(requestIdOf(exchange));
    const what = `${operationId}, answered ${answer.status} ${answer.body?.code ?? ''}, has ${count} audit rows`;
    if (isChange(exchange) && answer.status < 300) assert.equal(count, 1, what);
    else if (mayChange(exchange) && answer.status < 300) assert(count <= 1, what);
    else if ((isChange(exchange) || mayChange(exchange)) && answer.status === 503) assert(count <= 1, what);
    else assert.equal(count, 0, what);
  }
  assert.deepEqual([...rowsOfRequest.keys()], [], 'audit rows are of no request that was made');
};

/** The version of a circuit or time program went up by one for each change on record, and an answer 202 told one of these. */
export const changesAreOnRecord = (tables: Tables, { exchanges }: Partner): void => {
  const recorded = new Set(auditIn(tables).map(({ requestId }) => requestId));
  const changes = exchanges.filter(({ operationId }) => operationId.startsWith('update'));
  const ofItem = Map.groupBy(changes, (exchange) => String(itemKeyOf(exchange)?.sk));
  for (const [sk, changesOfItem] of ofItem) {
    const stored = versionIn(tables, changesOfItem[0] as Exchange);
    const count = changesOfItem.filter((exchange) => recorded.has(requestIdOf(exchange))).length;
    assert.equal(stored - 1, count, `${sk} has version ${stored}, and ${count} changes of it are on record`);
    const answered = changesOfItem.filter(({ answer }) => answer.status === 202);
    const versions = answered.map(({ answer }) => answer.body.version);
    assert.equal(new Set(versions).size, versions.length, `two answers told the same version of ${sk}`);
    for (const exchange of answered) {
      const { version } = exchange.answer.body;
      assert(stored >= version, `${sk} was answered with version ${version}, and is stored with ${stored}`);
      const expected = expectedVersionOf(exchange) ?? version - 1;
      assert.equal(version, expected + 1, `a change of ${sk} for version ${expected} was answered with ${version}`);
    }
  }
  const untouched = [...rowsOf(tables, 'Appliances').values()].filter(
    ({ sk }) => /^(CIRCUIT|PROGRAM)#/.test(String(sk)) && !ofItem.has(String(sk)),
  );
  for (const { sk, version } of untouched) assert.equal(version, 1, `${sk} changed, and nobody asked for it`);
};

/** A creation and its repeats show one and the same key. */
export const repeatsShowOneKey = ({ exchanges }: Partner): void => {
  const shown = new Map<string, string>();
  for (const { creationId, answer } of exchanges) {
    if (creationId === undefined || answer.status !== 201) continue;
    assert.equal(answer.body.apiKey, shown.get(creationId) ?? answer.body.apiKey, 'a repeat showed another key');
    shown.set(creationId, answer.body.apiKey);
  }
};
