/** Generated texts, by the name with which a Markdown file refers to them. */
export type Passages = Readonly<Record<string, () => string>>;

const mark = /<!-- generated: (?<name>\S+) -->(?<old>.*?)<!-- end -->/gs;

/**
 * Returns the Markdown text with every marked passage up to date. A passage on its own lines is surrounded by empty ones.
 * Throws if a mark is incomplete or names no passage.
 */
export const withPassages = (file: string, markdown: string, passages: Passages): string => {
  const marks = markdown.split('<!-- generated: ').length - 1;
  if (marks !== [...markdown.matchAll(mark)].length)
    throw new Error(`${file} has a "<!-- generated: … -->" without an "<!-- end -->" after it.`);
  const atLineStart = /^ *<!-- generated: (\S+) -->(?!\n)/m.exec(markdown);
  if (atLineStart)
    throw new Error(
      `${file} begins a line with the passage "${atLineStart[1]}", and Markdown renders such a line as HTML. Put a word before the passage, or put the passage on its own lines.`,
    );
  return markdown.replaceAll(mark, (_, name: string, old: string) => {
    const passage = passages[name];
    if (!passage)
      throw new Error(
        `${file} contains the unknown passage "${name}". docs/generate/passages.ts has ${Object.keys(passages).join(', ')}.`,
      );
    const text = old.startsWith('\n') ? `\n\n${passage()}\n\n` : passage();
    return `<!-- generated: ${name} -->${text}<!-- end -->`;
  });
};
