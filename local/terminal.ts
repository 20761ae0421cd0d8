import { inspect } from 'node:util';
import { print as printTo } from '../operator/cli/output.ts';

/** Writes a line for a person. What it holds may come from elsewhere: nothing of it steers the terminal. */
export const print = (line: string): void => printTo(process.stdout, `${line}\n`);

/** Writes why the program ends: a sentence, or a fault of ours with its stack. */
export const printFault = (fault: unknown): void =>
  printTo(process.stderr, `${typeof fault === 'string' ? fault : inspect(fault)}\n`);
