import { expect, test } from 'vitest';
import { pagesOf } from '../../../partner/client/pages.ts';
import { json, problem, scriptedClient } from './scripted.ts';

const page = (item: string, nextCursor: string | null) => json(200, { items: [{ gatewayId: item }], nextCursor });
const [first, second, last] = [page('a', 'c1'), page('b', 'c2'), page('c', null)];

test('the pages of a list come in turn, each with the cursor of the one before, and end with the last', async () => {
  const { client, sent } = scriptedClient([first, second, last, problem(500, 'internal-error')]);
  const ids = [];
  for await (const answer of pagesOf(client, 'listGateways', { query: { limit: 1 } }))
    ids.push(...(answer.ok ? answer.body.items : []).map(({ gatewayId }) => gatewayId));
  expect(ids).toEqual(['a', 'b', 'c']);
  expect(sent.map(({ url }) => new URL(url).search)).toEqual(['?limit=1', '?limit=1&cursor=c1', '?limit=1&cursor=c2']);
});

test('a refusal amid them is given, and ends them', async () => {
  const { client, sent } = scriptedClient([first, problem(401, 'api-key-expired'), last]);
  const answers = [];
  for await (const answer of pagesOf(client, 'listHeatingCircuits', { path: { gatewayId: 'gw' } }))
    answers.push(answer);
  expect(answers).toMatchObject([{ ok: true }, { ok: false, problem: { code: 'api-key-expired' } }]);
  expect(sent.map(({ url }) => new URL(url).pathname)).toEqual(Array(2).fill('/v1/hvacs/gw/heatingCircuits'));
});

test('a page that nobody wants is not asked for', async () => {
  const { client, sent } = scriptedClient([first, second]);
  for await (const _ of pagesOf(client, 'listApiKeys')) break;
  expect(sent).toHaveLength(1);
});
