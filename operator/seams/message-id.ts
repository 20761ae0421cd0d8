import { idOf } from '../cli/arguments.ts';

/** An argument of the commands that are about single dead letters. */
export const messageId = { summary: 'as seam dead list gives it', schema: idOf('message') };
