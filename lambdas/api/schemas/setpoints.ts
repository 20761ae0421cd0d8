import type { Range } from './range.ts';

type Setpoint = {
  /** What partners may request where the appliance describes no range. */
  readonly usual: Range;
  /** Whether only some circuits have it: those whose appliance describes limits of it, even without a range. */
  readonly isRare: boolean;
};

type Family = 'heating' | 'dhw';

/**
 * The setpoints of circuits, by family. What answers show, what reports and requests may have and the limits of circuits follow
 * from these rows and from `setpointDocs`.
 */
export const setpoints = {
  heating: {
    roomSetpointCelsius: { isRare: false, usual: { minimum: 5, maximum: 30, step: 0.5 } },
    coolingSetpointCelsius: { isRare: true, usual: { minimum: 18, maximum: 30, step: 0.5 } },
  },
  dhw: {
    waterSetpointCelsius: { isRare: false, usual: { minimum: 40, maximum: 60, step: 1 } },
  },
} as const satisfies Readonly<Record<Family, Readonly<Record<string, Setpoint>>>>;

type Rows = typeof setpoints;

/** Each setpoint in words, with the value that examples have. Apart from the rows, because functions do not need it. */
export const setpointDocs = () =>
  ({
    heating: {
      roomSetpointCelsius: { description: 'The room temperature to reach, in degrees Celsius.', example: 21.5 },
      coolingSetpointCelsius: {
        description: 'The room temperature to cool to in the operation mode `cooling`, in degrees Celsius.',
        example: 24,
      },
    },
    dhw: {
      waterSetpointCelsius: { description: 'The hot-water temperature to reach, in degrees Celsius.', example: 52 },
    },
  }) satisfies {
    readonly [Of in Family]: {
      readonly [Name in keyof Rows[Of]]: { readonly description: string; readonly example: number };
    };
  };

/** The range of each setpoint; null for a rare one that a circuit does not have. */
export type SetpointLimits<Of extends Family> = {
  readonly [Name in keyof Rows[Of]]: Rows[Of][Name] extends { readonly isRare: true } ? Range | null : Range;
};

/** The setpoints of heating circuits that only some of them have. */
export type RareSetpoint = {
  [Name in keyof Rows['heating']]: Rows['heating'][Name] extends { readonly isRare: true } ? Name : never;
}[keyof Rows['heating']];

export const isSetpoint = (name: string): name is keyof Rows['heating'] | keyof Rows['dhw'] =>
  Object.values(setpoints).some((rows) => Object.hasOwn(rows, name));

/** Returns the names of the setpoints that only some circuits have. */
export const rareSetpoints = (): string[] =>
  Object.values(setpoints).flatMap((rows) =>
    Object.entries<Setpoint>(rows).flatMap(([name, { isRare }]) => (isRare ? [name] : [])),
  );
