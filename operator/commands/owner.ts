import { defineCommand, idOf } from '../cli/command.ts';
import { exportOwner, ownerExport } from '../owners/owner-export.ts';

const userId = { summary: 'the owner, as portal and partners name them', schema: idOf('user') };

export const ownerExportCommand = defineCommand({
  noun: 'owner',
  verb: 'export',
  summary:
    'Show all that is kept of an owner: contracts, consent, grants, the state of their gateways, changes on record and events. With -o json, one document for the owner',
  arguments: { userId },
  options: {},
  changes: false,
  requirements: {
    tableActions: {
      Companies: ['Scan'],
      Contracts: ['BatchGetItem', 'GetItem'],
      Appliances: ['Query'],
      'AuditLog/index/byUser': ['Query'],
      'AuditLog/index/byGateway': ['Query'],
      Events: ['Query'],
    },
  },
  output: ownerExport,
  run: async (context, input) => {
    const { store, readStoreTimeMs } = await context.connect();
    return exportOwner(store, input.userId, await readStoreTimeMs());
  },
  view: ({ userId: id, exportedAt, contracts, grants, gateways, changes, events }) => [
    {
      title: id,
      fields: {
        'as of': exportedAt,
        'gateways with state': gateways.length,
        'changes on record': changes.length,
        'events in feeds': events.length,
      },
    },
    {
      title: 'Contracts',
      rows: contracts.map(({ companyId, state, since, consent, gatewayIds, removedAt }) => ({
        company: companyId,
        contract: state,
        since,
        'accepted consent': consent.acceptedVersion,
        gateways: gatewayIds.length,
        'row goes at': removedAt,
      })),
    },
    {
      title: 'Grants',
      rows: grants.map(({ companyId, gatewayId, isGranted, changedAt }) => ({
        ...{ company: companyId, gateway: gatewayId },
        ...{ grant: isGranted ? 'granted' : 'revoked', since: changedAt },
      })),
    },
    { text: 'All of it: add -o json.' },
  ],
});
