import { expect, test } from 'vitest';
import { usualWords } from '../../../lambdas/api/schemas/circuit-limits.ts';
import { circulationOf, isOfCirculation, levelsOf } from '../../../lambdas/domain/circulation.ts';

const gateway = {
  circulations: { 'dhw#d1': { timeProgramId: '3' }, 'dhw#d2': { timeProgramId: '1', levels: ['on', '5/25-cycles'] } },
  circuitLimits: { 'dhw#d1': { levels: ['low', 'high'] } },
};

test('a circuit has the circulation that its appliance describes, by default with two levels', () => {
  expect(circulationOf(gateway, 'd1')).toEqual({ timeProgramId: '3', levels: ['on', 'off'] });
  expect(circulationOf(gateway, 'd2')).toEqual({ timeProgramId: '1', levels: ['on', '5/25-cycles'] });
  for (const none of [{}, gateway]) expect(circulationOf(none, 'constructor')).toBeNull();
});

test('only the time program of the circulation is one', () => {
  const isOne = (circuitId: string, timeProgramId: string) => isOfCirculation(gateway, { circuitId, timeProgramId });
  expect([isOne('d1', '3'), isOne('d1', '1'), isOne('d2', '3'), isOne('d3', '3')]).toEqual([true, false, false, false]);
});

test('switch points of its time program have its levels; those of the others have the levels of the circuit', () => {
  const levels = (circuitId: string, timeProgramId: string) => levelsOf(gateway, 'dhw', { circuitId, timeProgramId });
  expect(levels('d1', '3')).toEqual(['on', 'off']);
  expect(levels('d1', '1')).toEqual(['low', 'high']);
  expect(levels('d2', '2')).toEqual(usualWords.dhw.levels);
  // A heating circuit may have the id of a hot-water circuit.
  expect(levelsOf(gateway, 'heating', { circuitId: 'd1', timeProgramId: '3' })).toEqual(usualWords.heating.levels);
});
