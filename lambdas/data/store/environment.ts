import { type Setting, settingVariable, tableVariable } from '../../api/environment-variables.ts';
import type { TableName } from '../../api/tables.ts';

export const tableName = (table: TableName): string => variable(tableVariable(table));

export const setting = (name: Setting): string => variable(settingVariable(name));

const variable = (name: string): string => {
  const value = process.env[name];
  if (value === undefined)
    throw new Error(
      `${name} is not in the environment; the stack sets it for every endpoint and job whose row asks for it.`,
    );
  return value;
};
