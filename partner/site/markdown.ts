/** Returns a Markdown table. */
export const tableOf = (titles: readonly string[], rows: readonly (readonly string[])[]): string =>
  [titles, titles.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

export const codeBlockOf = (language: string, code: string): string => `\`\`\`${language}\n${code.trimEnd()}\n\`\`\``;
