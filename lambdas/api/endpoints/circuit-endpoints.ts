import { dhwCircuit, dhwCircuitUpdate, heatingCircuit, heatingCircuitUpdate } from '../schemas/circuit.ts';
import { pageOf, pageQuery } from '../schemas/common.ts';
import { dhwOverrideUpdate, heatingOverrideUpdate } from '../schemas/override.ts';
import {
  dhwTimeProgram,
  dhwTimeProgramUpdate,
  heatingTimeProgram,
  heatingTimeProgramUpdate,
} from '../schemas/time-program.ts';

const problemsOfChanges = ['appliance-function-blocked', 'precondition-failed'] as const;

/** The two families of circuits, alike but for their payloads: room heating, and domestic hot water (DHW). */
export const heating = {
  name: 'heating',
  settings: 'the mode, setpoints, heating curve or time program',
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
  settings: 'the mode, setpoints or time program',
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
  problems: problemsOfChanges,
  tableActions: { Appliances: ['ConditionCheckItem', 'UpdateItem'], AuditLog: ['PutItem'] },
} as const;

/** Returns the rows of one family of circuits. The parameter is mapped over `Family`, so that its parts keep their own types. */
const rowsOf = <Family extends CircuitFamily>(family: { readonly [Part in keyof Family]: Family[Part] }) => {
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
  return {
    listCircuits: {
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
    getCircuit: {
      ...remoteControl,
      summary: `Get a ${noun}`,
      description: `Shows the settings and readings of a ${noun}.`,
      method: 'GET',
      path: `${path}/{circuitId}`,
      preloads: ['gateway', 'circuit'],
      success: { status: 200, body: circuit, headers: ['ETag'] },
    },
    updateCircuit: {
      ...remoteControl,
      ...ofChanges,
      summary: `Update a ${noun}`,
      description: `Changes ${family.settings} of a ${noun}.`,
      method: 'PATCH',
      path: `${path}/{circuitId}`,
      preloads: ['gateway', 'circuit'],
      problems: [...ofChanges.problems, 'not-supported'],
      body: circuitUpdate,
      success: { status: 202, body: circuit, headers: ['ETag'] },
    },
    setOverride: {
      ...override,
      summary: `Set a ${adjective} override`,
      description: `Overrides the settings of a ${noun} until a time, or until the next switch point of its time program.`,
      method: 'PUT',
      body: overrideUpdate,
    },
    deleteOverride: {
      ...override,
      summary: `End a ${adjective} override`,
      description: `Ends the override of a ${noun}, if there is one.`,
      method: 'DELETE',
    },
    listTimePrograms: {
      ...remoteControl,
      summary: `List ${adjective} time programs`,
      description: `Lists the time programs of a ${noun}.`,
      method: 'GET',
      path: `${path}/{circuitId}/timePrograms`,
      query: pageQuery,
      success: { status: 200, body: pageOf(timeProgram) },
      tableActions: { Appliances: ['Query'] },
    },
    getTimeProgram: {
      ...remoteControl,
      summary: `Get a ${adjective} time program`,
      description: `Shows a time program of a ${noun}.`,
      method: 'GET',
      path: `${path}/{circuitId}/timePrograms/{timeProgramId}`,
      preloads: ['timeProgram'],
      success: { status: 200, body: timeProgram, headers: ['ETag'] },
    },
    updateTimeProgram: {
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
  } as const;
};

const heatingRows = rowsOf(heating);
const dhwRows = rowsOf(dhw);

/** The rows of both families, by operation id. */
export const circuitEndpoints = {
  listHeatingCircuits: heatingRows.listCircuits,
  getHeatingCircuit: heatingRows.getCircuit,
  updateHeatingCircuit: heatingRows.updateCircuit,
  setHeatingOverride: heatingRows.setOverride,
  deleteHeatingOverride: heatingRows.deleteOverride,
  listHeatingTimePrograms: heatingRows.listTimePrograms,
  getHeatingTimeProgram: heatingRows.getTimeProgram,
  updateHeatingTimeProgram: heatingRows.updateTimeProgram,
  listDhwCircuits: dhwRows.listCircuits,
  getDhwCircuit: dhwRows.getCircuit,
  updateDhwCircuit: dhwRows.updateCircuit,
  setDhwOverride: dhwRows.setOverride,
  deleteDhwOverride: dhwRows.deleteOverride,
  listDhwTimePrograms: dhwRows.listTimePrograms,
  getDhwTimeProgram: dhwRows.getTimeProgram,
  updateDhwTimeProgram: dhwRows.updateTimeProgram,
} as const;
