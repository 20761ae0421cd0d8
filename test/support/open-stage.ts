import type { StageConfig } from '../../config/schema.ts';
import { bundleHandlers } from '../../infra/functions/bundle.ts';
import { appWith } from '../infra/synthesized.ts';
import { temporaryDirectory } from './operator.ts';
import { openService, type Service } from './service.ts';

/** Serves a stage with this configuration, without companies and without the simulated gateway backend of the demo world. */
export const openStage = async (config: StageConfig): Promise<Service> => {
  const { bundles } = await bundleHandlers(temporaryDirectory());
  const { directory: assembly } = (await appWith(config, { stage: 'local', bundles })).synth();
  return openService({ assembly, isEmpty: true, isWithoutBackend: true });
};
