import type { FamilyName } from '../../lambdas/api/endpoints/circuit-endpoints.ts';
import type { Endpoint } from '../../lambdas/api/endpoints/endpoint.ts';
import { endpoints } from '../../lambdas/api/endpoints/endpoints.ts';

type Tag = { readonly name: string; readonly description?: string };

const familyTags: Readonly<Record<FamilyName, Tag>> = {
  heating: { name: 'Heating circuits', description: 'Room heating: circuits and their time programs.' },
  dhw: { name: 'Hot-water circuits', description: 'Domestic hot water (DHW): circuits and their time programs.' },
};

const contracts: Tag = {
  name: 'Contracts',
  description: 'The owners for whom the company acts, and the state of their consent.',
};

/** The tags by first path segment, where name or description cannot be derived from the segment. */
const segmentTags: Readonly<Record<string, Tag>> = {
  'api-keys': { name: 'API keys', description: 'Create, list and delete the API keys of the company.' },
  contract: contracts,
  contracts,
  events: { name: 'Events', description: 'A feed of events without gaps: read it instead of polling the state.' },
  usage: { name: 'Usage', description: 'The outcomes of the requests of the company: served, limited, refused.' },
  audit: { name: 'Audit', description: 'The changes of the company: what was changed, when, and with which key.' },
  webhooks: {
    name: 'Webhooks',
    description: 'URLs to which the service sends a message when the feed has something new.',
  },
  hvacs: { name: 'Gateways', description: 'The appliances that the contract covers.' },
};

/** `/site-plans/{planId}` → `Site plans`. */
const tagOfSegment = (path: string): Tag => {
  const [, segment = ''] = path.split('/');
  const words = segment.replaceAll('-', ' ');
  return segmentTags[segment] ?? { name: words.charAt(0).toUpperCase() + words.slice(1) };
};

/** Returns the tag of an operation: its group in the reference. */
export const tagOf = ({ family, path }: Endpoint): Tag => (family ? familyTags[family] : tagOfSegment(path));

/** All tags, in the order of the rows. */
export const tags: readonly Tag[] = [
  ...new Map(Object.values<Endpoint>(endpoints).map((row) => [tagOf(row).name, tagOf(row)])).values(),
];
