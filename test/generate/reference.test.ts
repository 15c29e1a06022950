import { expect, it } from 'vitest';
import { service } from '../../tools/generate/load.js';
import { renderReference } from '../../tools/generate/reference.js';

/** Headings, as renderers of Markdown make links of them. */
function headingsOf(text = ''): string[] {
  const headings = [...text.matchAll(/^#+ (.*)$/gm)];
  return headings.map(([, heading = '']) => heading.toLowerCase().replaceAll('.', ''));
}

it('Every link of the reference leads to a page and a heading that are there', () => {
  const pages = renderReference(service);
  const links = [...pages].flatMap(([from, text]) =>
    [...text.matchAll(/\]\(([\w-]+\.md)(?:#([^)]+))?\)/g)].map((link) => [from, ...link.slice(1)]),
  );
  expect(links.length).toBeGreaterThan(100);
  for (const [from, file, anchor] of links) {
    const target = pages.get(`docs/reference/${file}`);
    expect(target, `${from} → ${file}`).toBeDefined();
    if (anchor !== undefined) expect(headingsOf(target), `${from} → ${file}`).toContain(anchor);
  }
});
