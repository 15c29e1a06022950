/** `bids` → `Bids`. */
export function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `idempotency_key` → `idempotencyKey`. */
export function camel(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** `saleCases` → `sale-cases`, the file of a resource. */
export function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

export function quoted(values: Iterable<string>): string {
  return [...values].map((value) => `\`${value}\``).join(', ');
}

/** By code units, so that no locale moves anything. */
export function byText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

const WIDTH = 110;

/** A doc comment at an indentation; empty paragraphs are left out, and nothing can end the comment early. */
export function docComment(paragraphs: readonly (string | undefined)[], indent = ''): string {
  const lines = paragraphs
    .filter((paragraph) => paragraph !== undefined && paragraph !== '')
    .flatMap((paragraph, index) => {
      const text = wrap(String(paragraph).replaceAll('*/', '*\\/'), WIDTH - 3 - indent.length);
      return index === 0 || text[0]?.startsWith('@') ? text : ['', ...text];
    });
  if (lines.length === 0) return '';
  const [only] = lines;
  if (lines.length === 1 && `${indent}/** ${only} */`.length <= WIDTH) return `${indent}/** ${only} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} *${line === '' ? '' : ` ${line}`}\n`).join('')}${indent} */\n`;
}

/** `import type { … } from '…'` with sorted names; nothing without names. */
export function importType(names: Iterable<string>, from: string): string {
  const sorted = [...new Set(names)].sort(byText);
  return sorted.length === 0 ? '' : `import type { ${sorted.join(', ')} } from '${from}';\n`;
}

/** `import { … } from '…'`; nothing without names. */
export function importValues(names: readonly string[], from: string): string {
  return names.length === 0 ? '' : `import { ${names.join(', ')} } from '${from}';\n`;
}

/** Lines of at most so many characters; a longer word is a line of its own. */
function wrap(text: string, width: number): string[] {
  const words = text.replaceAll(/\s+/g, ' ').trim();
  return words.match(new RegExp(`\\S.{0,${width - 1}}(?!\\S)|\\S+`, 'g')) ?? [];
}

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
