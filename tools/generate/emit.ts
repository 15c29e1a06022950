import { byText } from './names.js';

export const HEADER = '// Generated from src/api by `npm run generate`; edits are lost.\n';

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
  if (sorted.length === 0) return '';
  return list('import type { ', sorted, ` } from '${from}';`, '');
}

/** `head(a, b)tail`, in one line where it fits, else an item a line. */
export function call(head: string, items: readonly string[], tail: string, indent: string): string {
  return list(`${indent}${head}(`, items, `)${tail}`, indent);
}

/** A property, its type in one line where it fits, else with a line for every member of its union. */
export function property(name: string, type: string): string {
  const line = `  readonly ${name}: ${type};\n`;
  if (line.length <= WIDTH + 1) return line;
  const [, before = '', union = type, after = ''] = /^(readonly \()(.*)(\)\[\])$/.exec(type) ?? [];
  const members = unionMembers(union);
  if (members.length === 1) return line;
  const head = `  readonly ${name}:${before === '' ? '' : ` ${before}`}`;
  const tail = after === '' ? '' : `\n  ${after}`;
  return `${head}${members.map((member) => `\n    | ${member}`).join('')}${tail};\n`;
}

/** Splits at the bars that stand in no bracket. */
function unionMembers(type: string): string[] {
  const members = [''];
  let depth = 0;
  for (const word of type.split(' ')) {
    depth += (word.match(/[({<[]/g)?.length ?? 0) - (word.match(/[)}>\]]/g)?.length ?? 0);
    if (word === '|' && depth === 0) members.push('');
    else members[members.length - 1] += ` ${word}`;
  }
  return members.map((member) => member.trim());
}

function list(head: string, items: readonly string[], tail: string, indent: string): string {
  const line = `${head}${items.join(', ')}${tail}`;
  if (line.length <= WIDTH || items.length === 0) return `${line}\n`;
  return `${head.trimEnd()}\n${items.map((item) => `${indent}  ${item},\n`).join('')}${indent}${tail.trimStart()}\n`;
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return line === '' ? lines : [...lines, line];
}
