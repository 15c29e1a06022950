import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './project.js';

/** Lines of a program that a newcomer copies. */
const MOST_LINES = 20;

/** The first program of a page with these marks. */
export function programIn(page: string, marks: string): string {
  const text = readFileSync(join(root, page), 'utf8');
  const start = `\n\`\`\`ts ${marks}\n`;
  const [, after = ''] = text.split(start);
  const [program = ''] = after.split('```');
  const lines = program.trimEnd().split('\n').length;
  if (program === '' || lines > MOST_LINES)
    throw new Error(`The first program of ${page} has ${lines} lines`);
  return program;
}
