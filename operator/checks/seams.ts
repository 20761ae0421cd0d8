import { deployOf } from '../addresses/drift.ts';
import type { OperatorContext } from '../cli/context.ts';
import { placeNames, placeOf } from '../seams/dead-letter-places.ts';
import { readDepth } from '../seams/depth.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

const notApplicable = ok('not applicable: a local run has none');

/** What could not be taken or handed on waits for a person. */
export const checkDeadLetters = async ({ connect }: OperatorContext): Promise<Finding[]> => {
  const { seams } = await connect();
  const found = await Promise.all(
    placeNames.map(async (place) => {
      const { waiting, inFlight } = await readDepth(seams, placeOf(place).queue);
      return waiting + inFlight > 0
        ? [warning(`dead letters in ${place}: ${waiting + inFlight}`, `seam dead list ${place}`)]
        : [];
    }),
  );
  const findings = found.flat();
  return findings.length > 0 ? findings : [ok('no message was given up')];
};

/** A consumer that nothing calls leaves its messages where they are until they are deleted for their age. */
export const checkConsumers = async ({ connect, stage }: OperatorContext): Promise<Finding[]> => {
  const { readMappings } = (await connect()).seams;
  if (!readMappings) return [notApplicable];
  const mappings = await readMappings();
  const stopped = mappings.filter(({ state }) => !running.includes(state));
  if (stopped.length === 0) return [ok(`all ${mappings.length} are called with their messages`)];
  return stopped.map(({ consumer, state }) =>
    fault(
      `${consumer} is not called: its event source mapping is ${state}`,
      `enable it in Lambda, or ${deployOf(stage)}; what is in its queue is kept for 14 days`,
    ),
  );
};

/** A mapping that is being changed goes on. */
const running = ['Enabled', 'Enabling', 'Creating', 'Updating'];

/** Without principals in the configuration nobody outside of the account is meant to get in. */
export const checkNeighbours = async ({ connect, config, stage }: OperatorContext): Promise<Finding[]> => {
  const { neighbours } = config;
  const { readNeighbourAccess } = (await connect()).seams;
  if (!neighbours) return [ok('none are configured: only the account itself reaches the queues and the bus')];
  if (!readNeighbourAccess) return [notApplicable];
  const principals = { portal: neighbours.portalPrincipals, 'gateway-backend': neighbours.gatewayBackendPrincipals };
  const shut = (await readNeighbourAccess()).filter(
    ({ neighbour, isAllowed }) => !isAllowed && principals[neighbour].length > 0,
  );
  if (shut.length === 0) return [ok('queues and bus let in those whom the configuration names')];
  return shut.map(({ neighbour, to }) =>
    warning(
      `the policy of the ${to} lets nobody in, and config/${stage}.json names principals of ${neighbour}`,
      deployOf(stage),
    ),
  );
};
