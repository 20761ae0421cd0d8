import * as z from 'zod';
import { companyId, defineCommand } from '../cli/command.ts';
import { changeCompanyOf, companyChange } from '../companies/contract.ts';

export const companySet = defineCommand({
  noun: 'company',
  verb: 'set',
  summary: 'Change the name of a company',
  ...companyChange,
  arguments: { companyId },
  options: { name: { summary: 'of the company', placeholder: 'text', schema: z.string().trim().min(1, 'is empty.') } },
  run: (context, { companyId: id, name }) => changeCompanyOf(context, id, () => ({ name })),
});
