/** Returns a Markdown table. */
export const tableOf = (titles: readonly string[], rows: readonly (readonly string[])[]): string =>
  [titles, titles.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

export const codeBlockOf = (language: string, code: string): string => `\`\`\`${language}\n${code.trimEnd()}\n\`\`\``;

/** Returns Markdown without the comments that mark generated passages: MDX has no comments of HTML. */
export const withoutMarks = (markdown: string): string =>
  markdown.replaceAll(/^<!-- (?:generated: \S+|end) -->\n+/gm, '').replaceAll(/<!-- (?:generated: \S+|end) -->/g, '');
