import { dhwCircuit, dhwCircuitUpdate, heatingCircuit, heatingCircuitUpdate } from '../schemas/circuit.ts';
import { pageOf, pageQuery, type Schema } from '../schemas/common.ts';
import { dhwOverrideUpdate, heatingOverrideUpdate } from '../schemas/override.ts';
import {
  dhwTimeProgram,
  dhwTimeProgramUpdate,
  heatingTimeProgram,
  heatingTimeProgramUpdate,
} from '../schemas/time-program.ts';

/** The two families of circuits, alike but for their payloads: room heating, and domestic hot water (DHW). */
export const heating = {
  name: 'heating',
  adjective: 'heating',
  path: '/hvacs/{gatewayId}/heatingCircuits',
  circuitFunction: 'heatingCircuits',
  overrideFeature: 'heatingOverrides',
  timeProgramFunction: 'heatingTimePrograms',
  circuit: heatingCircuit,
  circuitUpdate: heatingCircuitUpdate,
  overrideUpdate: heatingOverrideUpdate,
  timeProgram: heatingTimeProgram,
  timeProgramUpdate: heatingTimeProgramUpdate,
} as const;

export const dhw = {
  name: 'dhw',
  adjective: 'hot-water',
  path: '/hvacs/{gatewayId}/dhwCircuits',
  circuitFunction: 'dhwCircuits',
  overrideFeature: 'dhwOverrides',
  timeProgramFunction: 'dhwTimePrograms',
  circuit: dhwCircuit,
  circuitUpdate: dhwCircuitUpdate,
  overrideUpdate: dhwOverrideUpdate,
  timeProgram: dhwTimeProgram,
  timeProgramUpdate: dhwTimeProgramUpdate,
} as const;

export type CircuitFamily = typeof heating | typeof dhw;
export type FamilyName = CircuitFamily['name'];

/** Shared by the rows that request a change of an appliance. */
export const ofChanges = {
  ifMatch: 'optional',
  problems: ['appliance-function-blocked', 'precondition-failed'],
  tableActions: { Appliances: ['ConditionCheckItem', 'UpdateItem'], AuditLog: ['PutItem'] },
  settings: ['takeovers'],
} as const;

/** The parts from which the rows of a family are built. */
type RowParts<Name, Path, Circuit, CircuitUpdate, OverrideUpdate, TimeProgram, TimeProgramUpdate> = {
  readonly name: Name;
  /** Names the family in titles, such as `List hot-water circuits`. */
  readonly adjective: string;
  readonly path: Path;
  readonly circuit: Circuit;
  readonly circuitUpdate: CircuitUpdate;
  readonly overrideUpdate: OverrideUpdate;
  readonly timeProgram: TimeProgram;
  readonly timeProgramUpdate: TimeProgramUpdate;
};

/** Returns the rows of one family of circuits, by operation ids such as `listHeatingCircuits`. */
export const circuitEndpoints = <
  Title extends string,
  Name extends FamilyName,
  Path extends `/${string}`,
  Circuit extends Schema,
  CircuitUpdate extends Schema,
  OverrideUpdate extends Schema,
  TimeProgram extends Schema,
  TimeProgramUpdate extends Schema,
>(
  title: Title,
  family: RowParts<Name, Path, Circuit, CircuitUpdate, OverrideUpdate, TimeProgram, TimeProgramUpdate>,
) => {
  const { name, adjective, path, circuit, circuitUpdate, overrideUpdate, timeProgram, timeProgramUpdate } = family;
  const noun = `${adjective} circuit`;
  const remoteControl = { ratePolicy: 'gateway', onBehalfOfUser: true, family: name } as const;
  const override = {
    ...remoteControl,
    ...ofChanges,
    path: `${path}/{circuitId}/override`,
    preloads: ['gateway', 'circuit'],
    problems: [...ofChanges.problems, 'not-supported'],
    success: { status: 202, body: circuit, headers: ['ETag'] },
  } as const;
  return entitled(title, {
    'list{Family}Circuits': {
      ...remoteControl,
      summary: `List ${noun}s`,
      description: `Lists the ${noun}s of a gateway.`,
      method: 'GET',
      path,
      preloads: ['gateway'],
      query: pageQuery,
      success: { status: 200, body: pageOf(circuit) },
      tableActions: { Appliances: ['Query'] },
    },
    'get{Family}Circuit': {
      ...remoteControl,
      summary: `Get a ${noun}`,
      description: `Shows the settings and readings of a ${noun}.`,
      method: 'GET',
      path: `${path}/{circuitId}`,
      preloads: ['gateway', 'circuit'],
      success: { status: 200, body: circuit, headers: ['ETag'] },
    },
    'update{Family}Circuit': {
      ...remoteControl,
      ...ofChanges,
      summary: `Update a ${noun}`,
      description: `Changes the mode, setpoint or time program of a ${noun}.`,
      method: 'PATCH',
      path: `${path}/{circuitId}`,
      preloads: ['gateway', 'circuit'],
      body: circuitUpdate,
      success: { status: 202, body: circuit, headers: ['ETag'] },
    },
    'set{Family}Override': {
      ...override,
      summary: `Set a ${adjective} override`,
      description: `Overrides the settings of a ${noun} until a time, or until the next switch point of its time program.`,
      method: 'PUT',
      body: overrideUpdate,
    },
    'delete{Family}Override': {
      ...override,
      summary: `End a ${adjective} override`,
      description: `Ends the override of a ${noun}, if there is one.`,
      method: 'DELETE',
    },
    'list{Family}TimePrograms': {
      ...remoteControl,
      summary: `List ${adjective} time programs`,
      description: `Lists the time programs of a ${noun}.`,
      method: 'GET',
      path: `${path}/{circuitId}/timePrograms`,
      query: pageQuery,
      success: { status: 200, body: pageOf(timeProgram) },
      tableActions: { Appliances: ['Query'] },
    },
    'get{Family}TimeProgram': {
      ...remoteControl,
      summary: `Get a ${adjective} time program`,
      description: `Shows a time program of a ${noun}.`,
      method: 'GET',
      path: `${path}/{circuitId}/timePrograms/{timeProgramId}`,
      preloads: ['timeProgram'],
      success: { status: 200, body: timeProgram, headers: ['ETag'] },
    },
    'update{Family}TimeProgram': {
      ...remoteControl,
      ...ofChanges,
      ratePolicy: 'time-program',
      summary: `Replace a ${adjective} time program`,
      description: `Replaces a time program of a ${noun}.`,
      method: 'PUT',
      path: `${path}/{circuitId}/timePrograms/{timeProgramId}`,
      preloads: ['gateway', 'timeProgram'],
      body: timeProgramUpdate,
      success: { status: 202, body: timeProgram, headers: ['ETag'] },
    },
  } as const);
};

type Entitled<Rows, Title extends string> = {
  readonly [Id in keyof Rows as Id extends `${infer Verb}{Family}${infer Noun}`
    ? `${Verb}${Title}${Noun}`
    : never]: Rows[Id];
};

/** Replaces `{Family}` in the operation ids by the family's title. */
const entitled = <Rows extends object, Title extends string>(title: Title, rows: Rows) =>
  Object.fromEntries(Object.entries(rows).map(([id, row]) => [id.replace('{Family}', title), row])) as Entitled<
    Rows,
    Title
  >;
