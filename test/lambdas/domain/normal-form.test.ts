import { describe, expect, test } from 'vitest';
import { inNormalForm } from '../../../lambdas/domain/normal-form.ts';

describe('the normal form of settings', () => {
  test('has numbers to a hundredth, and names in NFC', () => {
    expect(
      inNormalForm({ roomSetpointCelsius: 21.500000000000004, name: 'Ku\u0308che', operationMode: 'off' }),
    ).toEqual({
      roomSetpointCelsius: 21.5,
      name: 'K\u00fcche',
      operationMode: 'off',
    });
    // Other texts are not names.
    expect(inNormalForm({ operationMode: 'Ku\u0308hl', activeTimeProgramId: null })).toEqual({
      operationMode: 'Ku\u0308hl',
      activeTimeProgramId: null,
    });
  });

  test('orders switch points by week, and keeps the order of points at the same time', () => {
    const point = (dayOfWeek: string, time: string, setpoint = 'eco') => ({ dayOfWeek, time, setpoint });
    const inOrder = [
      point('monday', '00:00'),
      point('monday', '09:59'),
      point('monday', '10:00', 'off'),
      point('monday', '10:00', 'eco'),
      point('monday', '24:00'),
      point('tuesday', '05:00'),
      point('saturday', '23:59'),
      point('sunday', '00:00'),
    ];
    const mixed = [7, 5, 2, 0, 6, 3, 4, 1].map((index) => inOrder[index]);
    expect(inNormalForm({ switchPoints: mixed })).toEqual({ switchPoints: inOrder });
    // A list with another name stays as it is.
    expect(inNormalForm({ points: mixed })).toEqual({ points: mixed });
  });
});
