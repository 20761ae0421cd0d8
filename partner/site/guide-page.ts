import { readChapters } from './chapters.ts';
import { pageHtml } from './layout.ts';

/** All chapters on one page, so that a reader can search them all. */
export const guidePage = (): string => {
  const chapters = readChapters();
  return pageHtml({
    title: 'Partner API: guide',
    styles: ['site.css', 'guide.css'],
    main: `<div class="guide">
<nav class="contents" aria-label="Contents">
${chapters.map(({ name, title }) => `<a href="#${name}">${title}</a>`).join('\n')}
</nav>
<main>
${chapters.map(({ html }) => `<section>\n${html}</section>`).join('\n')}
</main>
</div>`,
  });
};
