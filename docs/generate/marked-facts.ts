/** Texts that the code knows, by the name under which a Markdown file asks for them. */
export type Facts = Readonly<Record<string, () => string>>;

const mark = /<!-- generated: (?<name>\S+) -->(?<old>.*?)<!-- end -->/gs;

/** The Markdown text with every marked fact as it is now. A fact that stands on lines of its own is set off by empty ones. */
export const withFacts = (file: string, markdown: string, facts: Facts): string => {
  const marks = markdown.split('<!-- generated: ').length - 1;
  if (marks !== [...markdown.matchAll(mark)].length)
    throw new Error(`${file} has a "<!-- generated: … -->" without an "<!-- end -->" behind it.`);
  const atLineStart = /^<!-- generated: (\S+) -->(?!\n)/m.exec(markdown);
  if (atLineStart)
    throw new Error(
      `${file} begins a line with the fact "${atLineStart[1]}", and Markdown takes such a line for HTML. Put a word before it, or give it lines of its own.`,
    );
  return markdown.replaceAll(mark, (_, name: string, old: string) => {
    const fact = facts[name];
    if (!fact)
      throw new Error(
        `${file} asks for the fact "${name}", which nobody generates. docs/generate/facts.ts has ${Object.keys(facts).join(', ')}.`,
      );
    const text = old.startsWith('\n') ? `\n\n${fact()}\n\n` : fact();
    return `<!-- generated: ${name} -->${text}<!-- end -->`;
  });
};
