import type { FamilyName } from '../../lambdas/api/endpoints/circuit-families.ts';
import type { Endpoint } from '../../lambdas/api/endpoints/endpoint.ts';

type Tag = { readonly name: string; readonly description: string };

const familyTags: Readonly<Record<FamilyName, Tag>> = {
  heating: { name: 'Heating circuits', description: 'Room heating: circuits and their time programs.' },
  dhw: { name: 'Hot-water circuits', description: 'Domestic hot water (DHW): circuits and their time programs.' },
};

/** By the first segment of the path. */
const pathTags: Readonly<Record<string, Tag>> = {
  'api-keys': { name: 'API keys', description: 'Renewal of keys, and what is left of them.' },
  contract: { name: 'Contract', description: 'On whose behalf the company acts, and the state of consent.' },
  hvacs: { name: 'Gateways', description: 'The appliances that the contract covers.' },
};

export const tags: readonly Tag[] = [...Object.values(pathTags), ...Object.values(familyTags)];

export const tagOf = ({ family, path }: Endpoint): Tag => {
  const tag = family ? familyTags[family] : pathTags[path.split('/')[1] ?? ''];
  if (!tag) throw new Error(`The first segment of ${path} has no tag in partner/openapi/tags.ts.`);
  return tag;
};
