import { Marked } from 'marked';
import { escapeHtml } from './html.ts';

/** A text that asks nothing of the network and runs nothing: HTML in it is shown as text, and so are images. */
const markdown = new Marked({
  renderer: {
    html: ({ text }) => escapeHtml(text),
    image: ({ text }) => escapeHtml(text),
    link({ href, tokens }) {
      const content = this.parser.parseInline(tokens);
      return /^(https?:|#)/.test(href) ? `<a href="${escapeHtml(href)}">${content}</a>` : content;
    },
  },
});

export const markdownHtml = (text: string): string =>
  `<div class="markdown">${markdown.parse(text, { async: false })}</div>`;

/** Renders one line, without a paragraph around it. */
export const markdownLineHtml = (line: string): string => markdown.parseInline(line, { async: false });
