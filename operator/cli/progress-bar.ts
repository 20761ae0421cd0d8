import type { Host } from './host.ts';
import { printable } from './output.ts';

const widthCharacters = 30;

/** A bar on a terminal's stderr; nothing elsewhere. It leaves Ctrl-C alone: what breaks off a run is not to look like its end. */
export const createProgressBar = ({ stderr, isTerminal }: Host) => {
  let shown = '';
  return {
    /** `fraction` from 0 to 1. */
    show: (fraction: number, text: string) => {
      const filled = Math.round(Math.min(1, fraction) * widthCharacters);
      const line = `[${'#'.repeat(filled).padEnd(widthCharacters, '.')}] ${printable(text)}`;
      if (!isTerminal || line === shown) return;
      shown = line;
      stderr.write(`\r${line}\u001b[K`);
    },
    end: () => {
      if (shown) stderr.write('\n');
    },
  };
};
