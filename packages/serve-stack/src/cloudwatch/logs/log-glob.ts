/**
 * Compiles a glob of the command `parse`: each `*` stands for as few characters as fit, the last one of the glob for the
 * rest. Gives what they stand for in a text, or nothing if the text is not of that form.
 */
export const compileGlob = (glob: string): ((text: string) => readonly string[]) => {
  const literals = glob.split('*').map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'));
  const pattern = new RegExp(literals.join('(.*?)') + (glob.endsWith('*') ? '$' : ''), 's');
  return (text) => pattern.exec(text)?.slice(1) ?? [];
};
