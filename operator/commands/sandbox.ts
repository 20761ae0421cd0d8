import { SendMessageCommand } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { hasItem } from '../../lambdas/data/appliances/absence.ts';
import { gatewayItemKey } from '../../lambdas/data/appliances/appliances.ts';
import { auditPut } from '../../lambdas/data/audit.ts';
import { transact } from '../../lambdas/data/store/writes.ts';
import { type ControlMessage, valueFault } from '../../lambdas/sandbox/controls.ts';
import { homeControlNames, homeControls, seenAt } from '../../lambdas/sandbox/home-controls.ts';
import { homeOf } from '../../lambdas/sandbox/homes.ts';
import { defineCommand, idOf } from '../cli/command.ts';
import type { OperatorContext } from '../cli/context.ts';
import { changeOutput, changeView, makeChange } from '../cli/make-change.ts';
import { OperatorError } from '../error.ts';

export const sandboxControl = defineCommand({
  noun: 'sandbox',
  verb: 'control',
  summary:
    'Make a simulated home of a sandbox do at once what would otherwise take too long to wait for, as the controls of the demo world do',
  arguments: {
    control: {
      summary: 'what the home does',
      schema: z.enum(homeControlNames, `is not a control. The controls are ${homeControlNames.join(', ')}.`),
    },
    gatewayId: { summary: 'the gateway of the home, such as sim-acme-1', schema: idOf('gateway') },
    value: {
      summary:
        'the function of block and unblock (default: heatingCircuits), the code of fault and fault-cleared (default: F.75), or the °C of owner-sets',
      schema: z.string().optional(),
    },
  },
  options: {},
  changes: true,
  shownToCompany: false,
  requirements: {
    tableActions: { Appliances: ['BatchGetItem'], AuditLog: ['PutItem'] },
    queueActions: { sandboxControls: ['SendMessage'] },
  },
  output: changeOutput,
  run: async (context, { control, gatewayId, value }) => {
    const message: ControlMessage = { control, gatewayId, value };
    const fault = valueFault(message);
    if (fault !== undefined) throw new OperatorError('usage', fault);
    const { companyId, userId } = await requireHome(context, gatewayId);
    const output = await makeChange(context, {
      companyId,
      differences: [{ what: control, before: null, after: [gatewayId, ...(value === undefined ? [] : [value])] }],
      apply: () => send(context, message, { companyId, userId }),
    });
    if (output.outcome === 'changed') context.talk(`Sent. Within seconds: ${seenAt(homeControls[control], gatewayId)}`);
    return output;
  },
  view: changeView,
});

/** Throws if the stage is no sandbox, or if it has no such home. */
const requireHome = async ({ connect }: OperatorContext, gatewayId: string) => {
  const { store, integrations } = await connect();
  integrations.urlOfControls();
  const home = homeOf(gatewayId);
  if (home && (await hasItem(store, gatewayItemKey(gatewayId)))) return home;
  throw new OperatorError(
    'not-found',
    `There is no simulated home ${gatewayId}. The homes of a company are sim-<company>-1 and so on; a new company has them two minutes after its onboarding. See: contract list <company>.`,
  );
};

type Parties = { readonly companyId: string; readonly userId: string };

/** Writes the audit row before sending, since no transaction can include both. */
const send = async (context: OperatorContext, message: ControlMessage, { companyId, userId }: Parties) => {
  const { store, integrations } = await context.connect();
  const { control, gatewayId, value = null } = message;
  const auditContext = await context.auditContext(companyId, userId);
  await transact(store, { audit: auditPut(store, auditContext, { gatewayId, after: { control, value } }) });
  await integrations.sqs.send(
    new SendMessageCommand({ QueueUrl: integrations.urlOfControls(), MessageBody: JSON.stringify(message) }),
  );
};
