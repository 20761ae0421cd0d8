import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns a policy that allows only the page's own origin. The search needs WebAssembly. */
export const contentSecurityPolicy = (scriptHashes: readonly string[] = []): string =>
  [
    "default-src 'none'",
    ["script-src 'self' 'wasm-unsafe-eval'", ...scriptHashes.map((hash) => `'sha256-${hash}'`)].join(' '),
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');

const styleSheet = '_astro/attributes.css';

/**
 * Adds a strict Content-Security-Policy to each page. The policy lists the hashes of inline scripts; `style` attributes, which
 * it forbids, become classes. Pages that exist as Markdown also get a link to it.
 */
export const harden = (site: string, base: string): void => {
  const rules = new Map<string, string>();
  for (const file of globSync('**/*.html', { cwd: site })) {
    const html = withoutStyleAttributes(readFileSync(join(site, file), 'utf8'), rules);
    const markdown = file.replace(/html$/, 'md');
    const head = [
      `<meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy(scriptHashesOf(html))}">`,
      '<meta name="referrer" content="no-referrer">',
      `<link rel="stylesheet" href="${base}${styleSheet}">`,
      ...(existsSync(join(site, markdown))
        ? [`<link rel="alternate" type="text/markdown" href="${base}${markdown}">`]
        : []),
    ];
    writeFileSync(
      join(site, file),
      html.replace('<head>', () => `<head>${head.join('')}`),
    );
  }
  // The style sheet selects the colours of code by the `style` attribute.
  for (const file of globSync('_astro/*.css', { cwd: site })) {
    const css = readFileSync(join(site, file), 'utf8');
    writeFileSync(join(site, file), css.replaceAll("span[style^='--']:not([class])", "span[class^='style-']"));
  }
  writeFileSync(join(site, styleSheet), [...rules].map(([name, style]) => `.${name}{${style}}\n`).join(''));
};

const tagWithStyle = /<([a-z][\w-]*)((?:[^>"']|"[^"]*"|'[^']*')*?)\sstyle="([^"]*)"((?:[^>"']|"[^"]*"|'[^']*')*)>/g;

const withoutStyleAttributes = (html: string, rules: Map<string, string>): string =>
  html.replaceAll(tagWithStyle, (_, tag: string, before: string, style: string, after: string) => {
    const name = `style-${createHash('sha256').update(style).digest('hex').slice(0, 8)}`;
    rules.set(name, style.replaceAll('&quot;', '"').replaceAll('&#39;', "'"));
    const attributes = before + after;
    return attributes.includes(' class="')
      ? `<${tag}${attributes.replace(' class="', ` class="${name} `)}>`
      : `<${tag} class="${name}"${attributes}>`;
  });

const scriptHashesOf = (html: string): string[] => {
  const scripts = [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>(.*?)<\/script>/gs)].map(([, text = '']) => text);
  return [...new Set(scripts)].map((text) => createHash('sha256').update(text).digest('base64'));
};
