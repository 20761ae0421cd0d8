import { expect, test } from 'vitest';
import type * as z from 'zod/mini';
import { loadStageConfig } from '../../../../config/load.ts';
import {
  dhwCircuitBody,
  gatewayBody,
  heatingCircuitBody,
  timeProgramBody,
} from '../../../../lambdas/answers/appliances.ts';
import { dhw, heating } from '../../../../lambdas/api/endpoints/circuit-endpoints.ts';
import { gateway as gatewaySchema } from '../../../../lambdas/api/schemas/gateway.ts';
import { type SwitchPoint, switchPointFaults } from '../../../../lambdas/domain/appliance.ts';
import { appliancesOf, circuitsOf, nameplateOf } from '../../../../local/demo/appliances/factory-settings.ts';

const appliances = loadStageConfig('local').companies.flatMap(appliancesOf);
const families = { heating, dhw };
const bodies = { heating: heatingCircuitBody, dhw: dhwCircuitBody };
const valid = (schema: () => z.ZodMiniType, value: unknown) => expect(schema().safeParse(value).error).toBeUndefined();

test.each(appliances)('what stands in $gatewayId is presented as the API promises', (appliance) => {
  const { gatewayId } = appliance;
  const nameplate = nameplateOf(appliance);
  valid(gatewaySchema, gatewayBody({ ...nameplate, connectivity: 'online', lastSeenAtMs: 0, blocks: {} }, 0));
  for (const { family, circuitId, reported, timePrograms } of circuitsOf(appliance)) {
    const standing = { reportedAtMs: 0, receivedAtMs: 0, version: 1 };
    const circuit = { gatewayId, circuitId, reported, ...standing };
    valid(families[family].circuit, bodies[family](circuit as never));
    expect(Object.keys(timePrograms)).toContain(reported.activeTimeProgramId);
    for (const [timeProgramId, program] of Object.entries(timePrograms)) {
      valid(families[family].timeProgramUpdate, program);
      valid(families[family].timeProgram, timeProgramBody({ timeProgramId, reported: program, ...standing }));
      expect(switchPointFaults(program.switchPoints as SwitchPoint[], nameplate.limits)).toEqual([]);
    }
  }
});
