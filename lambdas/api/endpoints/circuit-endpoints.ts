import { pageOf, pageQuery } from '../schemas/common.ts';
import type { CircuitFamily } from './circuit-families.ts';

/** The rows of one family of circuits, each made from the family that it belongs to. */
const remoteControl = { ratePolicy: 'gateway', onBehalfOfUser: true } as const;

const updateActions = {
  Appliances: ['ConditionCheckItem', 'UpdateItem'],
  AuditLog: ['PutItem'],
} as const;

export const listCircuits = <Family extends CircuitFamily>(family: Family) =>
  ({
    ...remoteControl,
    family: family.name as Family['name'],
    summary: `List the ${family.noun}s of a gateway`,
    method: 'GET',
    path: family.path as Family['path'],
    query: pageQuery,
    success: { status: 200, body: pageOf(family.circuit as Family['circuit']) },
    tableActions: { Appliances: ['Query'] },
  }) as const;

export const getCircuit = <Family extends CircuitFamily>(family: Family) =>
  ({
    ...remoteControl,
    family: family.name as Family['name'],
    summary: `Read a ${family.noun}`,
    method: 'GET',
    path: `${family.path as Family['path']}/{circuitId}`,
    preloads: ['circuit'],
    success: { status: 200, body: family.circuit as Family['circuit'], headers: ['ETag'] },
  }) as const;

export const updateCircuit = <Family extends CircuitFamily>(family: Family) =>
  ({
    ...remoteControl,
    family: family.name as Family['name'],
    summary: `Change the mode, setpoint or time program of a ${family.noun}`,
    method: 'PATCH',
    path: `${family.path as Family['path']}/{circuitId}`,
    preloads: ['gateway', 'circuit'],
    ifMatch: 'optional',
    body: family.circuitUpdate as Family['circuitUpdate'],
    success: { status: 202, body: family.circuit as Family['circuit'], headers: ['ETag'] },
    problems: ['appliance-function-blocked', 'precondition-failed'],
    tableActions: updateActions,
  }) as const;

export const listTimePrograms = <Family extends CircuitFamily>(family: Family) =>
  ({
    ...remoteControl,
    family: family.name as Family['name'],
    summary: `List the time programs of a ${family.noun}`,
    method: 'GET',
    path: `${family.path as Family['path']}/{circuitId}/timePrograms`,
    preloads: ['circuit'],
    query: pageQuery,
    success: { status: 200, body: pageOf(family.timeProgram as Family['timeProgram']) },
    tableActions: { Appliances: ['Query'] },
  }) as const;

export const getTimeProgram = <Family extends CircuitFamily>(family: Family) =>
  ({
    ...remoteControl,
    family: family.name as Family['name'],
    summary: `Read a time program of a ${family.noun}`,
    method: 'GET',
    path: `${family.path as Family['path']}/{circuitId}/timePrograms/{timeProgramId}`,
    preloads: ['circuit', 'timeProgram'],
    success: { status: 200, body: family.timeProgram as Family['timeProgram'], headers: ['ETag'] },
  }) as const;

export const updateTimeProgram = <Family extends CircuitFamily>(family: Family) =>
  ({
    ...remoteControl,
    family: family.name as Family['name'],
    ratePolicy: 'time-program',
    summary: `Replace a time program of a ${family.noun}`,
    method: 'PUT',
    path: `${family.path as Family['path']}/{circuitId}/timePrograms/{timeProgramId}`,
    preloads: ['gateway', 'circuit', 'timeProgram'],
    ifMatch: 'optional',
    body: family.timeProgramUpdate as Family['timeProgramUpdate'],
    success: { status: 202, body: family.timeProgram as Family['timeProgram'], headers: ['ETag'] },
    problems: ['appliance-function-blocked', 'precondition-failed'],
    tableActions: updateActions,
  }) as const;
