export const NOTE = '<!-- Generated from src/api by `npm run generate`; edits are lost. -->\n\n';

/** Paragraphs, tables and blocks, a blank line between them; empty ones are left out. */
export function page(blocks: readonly string[]): string {
  return `${NOTE}${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

/** A table, or nothing without rows. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

/** The link to a heading, as renderers of Markdown make it. */
export function anchor(heading: string): string {
  return heading.toLowerCase().replaceAll('.', '');
}

/** Neither a pipe nor a line break may end a cell early. */
function cell(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ').replaceAll(/(?<!\\)\|/g, '\\|');
}
