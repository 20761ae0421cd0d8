import { print } from './command-line.ts';

type Terminal = { readonly isTTY?: boolean; readonly write: (text: string) => unknown };

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const frameMs = 100;

/** Tells the parts of something long, a line for each. On a terminal, a wheel turns before the part that is under way. */
export const createProgress = (terminal: Terminal = process.stdout) => {
  if (!terminal.isTTY) return { announce: print, end: (_: { readonly isDone: boolean }): void => undefined };
  let line: string | undefined;
  let turns = 0;
  const draw = (mark: string) => terminal.write(`\r${mark} ${line}`);
  const turn = () => line !== undefined && draw(frames[turns++ % frames.length] ?? '');
  const timer = setInterval(turn, frameMs).unref();
  const finish = (mark: string) => {
    if (line === undefined) return;
    draw(mark);
    terminal.write('\n');
    line = undefined;
  };
  return {
    announce: (next: string): void => {
      finish('✓');
      line = next;
      turn();
    },
    /** To be called before anything else is printed. */
    end: ({ isDone }: { readonly isDone: boolean }): void => {
      clearInterval(timer);
      finish(isDone ? '✓' : '✗');
    },
  };
};
