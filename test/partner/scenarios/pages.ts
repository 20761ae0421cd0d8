import { json, problem, type Scenarios } from './scenario.ts';

const page = (item: string, nextCursor: string | null) => json(200, { items: [item], nextCursor });
const [first, second, last] = [page('a', 'c1'), page('b', 'c2'), page('c', null)];
const refusal = problem(401, 'api-key-expired');

const lists: Scenarios = {
  'the pages of a list are read in turn, each with the cursor of the previous one, until the last': {
    program: [{ do: 'readPages', operationId: 'listGateways', query: { limit: 1 } }],
    answers: [first, second, last, refusal],
    steps: 'GET /hvacs?limit=1, page a, GET /hvacs?cursor=c1&limit=1, page b, GET /hvacs?cursor=c2&limit=1, page c',
  },
  'the pages of a list end with the first refusal': {
    program: [{ do: 'readPages', operationId: 'listHeatingCircuits', path: { gatewayId: 'gw' } }],
    answers: [first, refusal, last],
    steps: 'GET /hvacs/gw/heatingCircuits, page a, GET /hvacs/gw/heatingCircuits?cursor=c1',
    outcome: { ok: false, code: 'api-key-expired' },
  },
  'a page of a list is not requested before the program needs it': {
    program: [{ do: 'readPages', operationId: 'listApiKeys' }],
    answers: [first, second],
    interruption: { step: 2, by: 'crash' },
    steps: 'GET /api-keys, page a',
    outcome: { ok: false, code: 'crash' },
  },
};

const circuit = (circuitId: string, version: number, timePrograms?: string[]) => ({
  circuitId,
  version,
  ...(timePrograms && { timePrograms: timePrograms.map((timeProgramId) => ({ timeProgramId })) }),
});
const homePage = (heatingCircuits: object[], dhwCircuits: object[], nextCursor: string | null) =>
  json(200, { heatingCircuits, dhwCircuits, nextCursor });
const twoPages = 'GET /hvacs/gw?include=circuits, GET /hvacs/gw?cursor=c1&include=circuits';

const homes: Scenarios = {
  'the pages of a home are joined: a circuit on two pages is that of the later, with the time programs of both': {
    program: [{ do: 'readHome', gatewayId: 'gw' }],
    answers: [
      homePage([circuit('a', 1, ['1'])], [circuit('a', 1, ['1'])], 'c1'),
      homePage([circuit('a', 2, ['2']), circuit('b', 1, [])], [], null),
    ],
    steps: twoPages.replaceAll('=circuits', '=circuits%2CtimePrograms'),
    outcome: {
      ok: true,
      body: {
        heatingCircuits: [circuit('a', 2, ['1', '2']), circuit('b', 1, [])],
        dhwCircuits: [circuit('a', 1, ['1'])],
        nextCursor: null,
      },
    },
  },
  'a home with circuits only has no time programs': {
    program: [{ do: 'readHome', gatewayId: 'gw', include: 'circuits' }],
    answers: [homePage([circuit('a', 1)], [], 'c1'), homePage([circuit('a', 2)], [], null)],
    steps: twoPages,
    outcome: { ok: true, body: { heatingCircuits: [circuit('a', 2)], dhwCircuits: [], nextCursor: null } },
  },
  'a page of a home that is refused is the answer': {
    program: [{ do: 'readHome', gatewayId: 'gw', include: 'circuits' }],
    answers: [homePage([circuit('a', 1)], [], 'c1'), problem(403, 'gateway-not-in-contract')],
    steps: twoPages,
    outcome: { ok: false, code: 'gateway-not-in-contract' },
  },
};

const contracts = (nextCursor: string | null, ...items: readonly [userId: string, gatewayIds: string[] | null][]) =>
  json(200, { items: items.map(([userId, gatewayIds]) => ({ userId, gatewayIds })), nextCursor });
const contractList = 'GET /contracts?include=gateways&limit=100';
const homeOf = (gatewayId: string) => `GET /hvacs/${gatewayId}?include=circuits%2CtimePrograms`;
const wholeHome = homePage([], [], null);

const fleet: Scenarios = {
  'the homes of all owners are read for their owner, and a refused one does not end it': {
    program: [{ do: 'readHomes', concurrency: 1 }],
    answers: [
      contracts('c1', ['a', ['gw-1', 'gw-2']], ['b', null]),
      wholeHome,
      problem(451, 'consent-outdated'),
      contracts(null, ['c', ['gw-3']]),
      wholeHome,
    ],
    steps: [
      ...[contractList, homeOf('gw-1'), 'a gw-1 true', homeOf('gw-2'), 'a gw-2 consent-outdated'],
      ...[contractList.replace('?', '?cursor=c1&'), homeOf('gw-3'), 'c gw-3 true'],
    ].join(', '),
    sent: [{}, { userId: 'a' }, { userId: 'a' }, {}, { userId: 'c' }],
  },
  'the homes end with a refused page of contracts, after those of the pages before': {
    program: [{ do: 'readHomes' }],
    answers: [contracts('c1', ['a', ['gw-1', 'gw-2']]), wholeHome, wholeHome, refusal],
    steps: [
      ...[contractList, homeOf('gw-1'), homeOf('gw-2'), contractList.replace('?', '?cursor=c1&')],
      ...['a gw-1 true', 'a gw-2 true'],
    ].join(', '),
    outcome: { ok: false, code: 'api-key-expired' },
  },
};

export const pages: Scenarios = { ...lists, ...homes, ...fleet };
