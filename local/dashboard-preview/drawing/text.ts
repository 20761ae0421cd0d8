import { Marked } from 'marked';

/** `14:05`, in UTC. */
export const toTime = (atMs: number): string => new Date(atMs).toISOString().slice(11, 16);

/** `2026-11-20 14:05`, in UTC. */
export const toDateAndTime = (atMs: number): string => new Date(atMs).toISOString().slice(0, 16).replace('T', ' ');

const plain = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const compact = new Intl.NumberFormat('en', { maximumSignificantDigits: 3, notation: 'compact' });

/** Formats a number with three significant digits: `0.125`, `42`, `12.3K`; `–` for undefined. */
export const toShortNumber = (value: number | undefined): string => {
  if (value === undefined) return '–';
  return (Math.abs(value) < 10_000 ? plain : compact).format(value);
};

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for HTML content and quoted attributes. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? '');

/** Renders Markdown that loads nothing and runs nothing: HTML and images are shown as text. */
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

export const noData = '<p class="no-data">no data</p>';
