import type { z } from 'zod';
import { byText } from './names.js';
import { meaningOf } from './schema-type.js';

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

/** What a field means, and where the API text has it. */
export function fieldDoc(owner: string, name: string, schema: z.ZodType, section: string): string {
  const meaning = meaningOf(schema);
  if (meaning === undefined) throw new Error(`${owner}.${name} has no description`);
  return docComment([`${meaning} (API: ${section})`], '  ');
}

/** `import type { … } from '…'` with sorted names; nothing without names. */
export function importType(names: Iterable<string>, from: string): string {
  const sorted = [...new Set(names)].sort(byText);
  return sorted.length === 0 ? '' : `import type { ${sorted.join(', ')} } from '${from}';\n`;
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
