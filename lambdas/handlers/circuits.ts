import { dhwCircuitBody, heatingCircuitBody, timeProgramBody } from '../answers/circuit.ts';
import { taggedAnswer } from '../answers/shadow.ts';
import { dhw, heating } from '../api/endpoints/circuit-endpoints.ts';
import { serve } from '../chain/serve.ts';
import { listCircuits, updateCircuit } from '../remote-control/circuits.ts';
import { listTimePrograms, updateTimeProgram } from '../remote-control/time-programs.ts';

export const listHeatingCircuits = /* @__PURE__ */ serve('listHeatingCircuits', (call) =>
  listCircuits('heating', call, heatingCircuitBody),
);

export const getHeatingCircuit = /* @__PURE__ */ serve('getHeatingCircuit', ({ circuit }) =>
  taggedAnswer(circuit, heatingCircuitBody(circuit)),
);

export const updateHeatingCircuit = /* @__PURE__ */ serve('updateHeatingCircuit', (call) =>
  updateCircuit(heating, call, heatingCircuitBody),
);

export const listHeatingTimePrograms = /* @__PURE__ */ serve('listHeatingTimePrograms', (call) =>
  listTimePrograms('heating', call, timeProgramBody),
);

export const getHeatingTimeProgram = /* @__PURE__ */ serve('getHeatingTimeProgram', ({ timeProgram }) =>
  taggedAnswer(timeProgram, timeProgramBody(timeProgram)),
);

export const updateHeatingTimeProgram = /* @__PURE__ */ serve('updateHeatingTimeProgram', (call) =>
  updateTimeProgram(heating, call, timeProgramBody),
);

export const listDhwCircuits = /* @__PURE__ */ serve('listDhwCircuits', (call) =>
  listCircuits('dhw', call, dhwCircuitBody),
);

export const getDhwCircuit = /* @__PURE__ */ serve('getDhwCircuit', ({ circuit }) =>
  taggedAnswer(circuit, dhwCircuitBody(circuit)),
);

export const updateDhwCircuit = /* @__PURE__ */ serve('updateDhwCircuit', (call) =>
  updateCircuit(dhw, call, dhwCircuitBody),
);

export const listDhwTimePrograms = /* @__PURE__ */ serve('listDhwTimePrograms', (call) =>
  listTimePrograms('dhw', call, timeProgramBody),
);

export const getDhwTimeProgram = /* @__PURE__ */ serve('getDhwTimeProgram', ({ timeProgram }) =>
  taggedAnswer(timeProgram, timeProgramBody(timeProgram)),
);

export const updateDhwTimeProgram = /* @__PURE__ */ serve('updateDhwTimeProgram', (call) =>
  updateTimeProgram(dhw, call, timeProgramBody),
);
