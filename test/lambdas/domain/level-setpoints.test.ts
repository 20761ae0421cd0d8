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
