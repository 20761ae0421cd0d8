import { apiRecipes } from './api-recipes.ts';
import type { Recipe } from './recipe.ts';

const contractCommands = 'operator/commands/contract.ts';

const operatorCommand: Recipe = {
  name: "Add an operator's command",
  edits: [
    {
      file: contractCommands,
      anchor: 'const listed = ',
      before: `export const contractCount = defineCommand({
  noun: 'contract',
  verb: 'count',
  summary: 'Count the contracts of a company',
  arguments: { companyId },
  options: {},
  changes: false,
  requirements: { tableActions: { Contracts: ['BatchGetItem'], 'Contracts/index/byCompany': ['Query'] } },
  output: z.strictObject({ companyId: z.string(), contracts: z.int() }),
  run: async ({ connect }, input) => {
    const { store } = await connect();
    return { companyId: input.companyId, contracts: (await readAllContracts(store, input.companyId)).length };
  },
  view: (counted) => [{ fields: counted }],
});

`,
    },
    {
      file: 'operator/commands.ts',
      anchor: 'import { contractEnd,',
      instead: 'import { contractCount, contractEnd,',
    },
    { file: 'operator/commands.ts', anchor: '  contractList,\n', after: '  contractCount,\n' },
    {
      file: 'test/support/operator-runs.ts',
      anchor: "  'contract list': [run(companyArgument)],\n",
      after: "  'contract count': [run(companyArgument)],\n",
    },
  ],
  generated: ['docs/operator.md'],
  forgotten: [{ file: 'test/support/operator-runs.ts', by: 'test/operator/layout.test.ts' }],
};

const alarm: Recipe = {
  name: 'Add an alarm',
  edits: [
    {
      file: 'infra/monitoring/alarms/request-alarms.ts',
      anchor: "  'audit-write-failures': {\n",
      before: `  'audit-write-storm': {
    metric: own('AuditWriteFailures', {}, { period: fiveMinutes }),
    threshold: 20,
    ...ofRequests,
    urgency: 'page',
    symptom: 'Most changes fail in their transaction.',
    firstQuery: 'unrecorded-changes',
    runbook: 'audit-write-failures',
  },
`,
    },
    {
      file: 'docs/runbooks/audit-write-failures.md',
      anchor: 'A single failure a week is not a fault',
      before: '`audit-write-storm` rings if most changes fail.\n\n',
    },
    {
      file: 'local/dashboard-preview/scenarios.ts',
      anchor: "rings: ['audit-write-failures', 'ticket']",
      instead: "rings: ['audit-write-failures', 'ticket', 'audit-write-storm', 'page']",
    },
  ],
  generated: ['docs/runbooks/README.md'],
  forgotten: [],
};

export const recipes: readonly Recipe[] = [...apiRecipes, operatorCommand, alarm];
