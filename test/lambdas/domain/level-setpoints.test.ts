import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isOfLevel, levelsApart, levelsInOrder, levelsTogether } from '../../../lambdas/domain/level-setpoints.ts';

const of = (level: string, setpointCelsius: number) => ({ level, setpointCelsius });

test('the setpoint of each level is a property of its own, whatever its word, and comes back into the list', () => {
  const words = fc.oneof(
    fc.string({ minLength: 1 }).filter((word) => word !== 'comfort'),
    fc.constantFrom('__proto__', 'constructor', 'a.b', 'levelSetpoints.eco'),
  );
  fc.assert(
    fc.property(fc.uniqueArray(words), (levels) => {
      const values = { operationMode: 'auto', levelSetpoints: levelsInOrder(levels.map((level) => of(level, 17))) };
      const apart = levelsApart(values);
      expect(Object.keys(apart).filter(isOfLevel)).toHaveLength(levels.length);
      expect(Object.getPrototypeOf(apart)).toBe(Object.prototype);
      if (levels.length > 0) expect(levelsTogether(apart)).toEqual(values);
    }),
  );
});

test('values without levels stay as they are, and null says that there are none', () => {
  expect(levelsTogether({ operationMode: 'auto', levelSetpoints: null })).toEqual({
    operationMode: 'auto',
    levelSetpoints: null,
  });
  expect(levelsApart({ operationMode: 'auto', levelSetpoints: null })).toEqual({ operationMode: 'auto' });
});

test('a list keeps the levels of which nothing is said, and the list of the values is preferred to the known one', () => {
  const desired = { 'levelSetpoints.eco': 16 };
  const known = [of('eco', 17), of('night', 15)];
  expect(levelsTogether(desired, known)).toEqual({ levelSetpoints: [of('eco', 16), of('night', 15)] });
  expect(levelsTogether({ ...desired, levelSetpoints: [] }, known)).toEqual({ levelSetpoints: [of('eco', 16)] });
  expect(levelsTogether({ ...desired, levelSetpoints: null }, known)).toEqual(levelsTogether(desired, known));
});

test('levels are in the order of their words, each once, without the comfort level', () => {
  expect(levelsInOrder([of('reduced', 1), of('comfort', 2), of('eco', 3), of('reduced', 4)])).toEqual([
    of('eco', 3),
    of('reduced', 4),
  ]);
});
