import * as z from 'zod/mini';
import { maxGatewaysPerContract, maxGatewaysPerPage } from '../limits.ts';
import {
  companyId,
  count,
  type Documentation,
  id,
  pageQuery,
  pageQueryDescriptions,
  timestamp,
  url,
} from './common.ts';

export const contractStates = ['active', 'suspended', 'ended'] as const;

export const contract = () =>
  z.looseObject({
    companyId: companyId(),
    userId: id(),
    state: z.enum(contractStates),
    since: timestamp(),
    consent: z.looseObject({
      requiredVersion: count(),
      acceptedVersion: z.nullable(count()),
      acceptedAt: z.nullable(timestamp()),
      upToDate: z.boolean(),
      portalUrl: url(),
    }),
  });

export const contractInList = () =>
  z.extend(contract(), {
    gateways: count(),
    /** Only the answer to a request that includes gateways has these. */
    gatewayIds: z.optional(z.nullable(z.array(id()).check(z.maxLength(maxGatewaysPerContract)))),
  });

export const contractsQuery = () =>
  z.extend(pageQuery(), {
    consent: z.optional(z.enum(['outdated'])),
    include: z.optional(z.enum(['gateways'], 'Expected gateways.')),
  });

export const contractsQueryDescriptions = () => ({
  ...pageQueryDescriptions(),
  limit: `${pageQueryDescriptions().limit} With \`consent\`, a page may have fewer items, or none, even if it is not the last page.`,
  include: `What each contract has in addition: the ids of its gateways. A page has at most ${maxGatewaysPerPage} gateways, or those of a single owner; it may have fewer items than \`limit\` even if it is not the last page.`,
  consent: 'Only contracts whose owner has to accept the latest consent version.',
});

export const contractDocs = (): Documentation<typeof contract> => ({
  example: {
    companyId: 'acme',
    userId: 'owner-4711',
    state: 'active',
    since: '2026-01-01T00:00:00Z',
    consent: {
      requiredVersion: 3,
      acceptedVersion: 3,
      acceptedAt: '2026-01-02T10:15:00Z',
      upToDate: true,
      portalUrl: 'https://portal.example.com/consent',
    },
  },
  properties: {
    companyId: 'The id of the company that holds the contract.',
    userId: 'The id of the appliance owner on whose behalf the company acts. Send it as x-user-id.',
    state: 'The state of the contract. Remote control needs an active contract.',
    since: 'When the contract began, UTC.',
    consent: {
      description: 'The consent of the owner.',
      properties: {
        requiredVersion: 'The consent version that the owner must have accepted.',
        acceptedVersion: 'The consent version that the owner accepted last; null if there is none.',
        acceptedAt: 'When the owner accepted that version, UTC; null if the owner has accepted none.',
        upToDate: 'Whether the accepted version allows remote control.',
        portalUrl: 'The URL where the owner accepts the latest consent version.',
      },
    },
  },
});

export const contractInListDocs = (): Documentation<typeof contractInList> => ({
  example: { ...contractDocs().example, gateways: 1 },
  properties: {
    ...contractDocs().properties,
    gateways: 'How many gateways the contract covers.',
    gatewayIds:
      'Only in the response to a request with `include`: the ids of the gateways that `listGateways` returns for this owner, in the same order; null if the contract is not active or consent is not up to date.',
  },
});
