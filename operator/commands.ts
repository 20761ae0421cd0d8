import type { AnyCommand } from './command.ts';
import { companyList } from './commands/company-list.ts';
import { companyResume } from './commands/company-resume.ts';
import { companySuspend } from './commands/company-suspend.ts';

/** Every command, in the order of the help. */
export const commands: readonly AnyCommand[] = [companyList, companySuspend, companyResume];
