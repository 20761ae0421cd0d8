/** A diagram as GitHub draws it in Markdown. */
export const mermaid = (lines: readonly string[]): string => `\`\`\`mermaid\n${lines.join('\n')}\n\`\`\``;

/** A node with one line of text for each entry. */
export const node = (id: string, texts: readonly string[]): string => `${id}["${texts.join('<br/>')}"]`;
