import { readFileSync } from 'node:fs';
import { codes } from '../../src/api/codes.js';
import { choices } from '../../src/sandbox/variants.js';
import { page, table } from './markdown.js';

/** What the API text leaves open, and what the SDK does meanwhile. Code that depends on a gap names its row. */
export interface Unknown {
  readonly id: string;
  /** Section of the API text. */
  readonly where: string;
  readonly unknown: string;
  readonly meanwhile: string;
  /** What would settle it. */
  readonly settledBy: string;
}

export const unknowns: readonly Unknown[] = JSON.parse(
  readFileSync(new URL('../../docs/unknowns.json', import.meta.url), 'utf8'),
);

export function renderCodes(): string {
  const rows = Object.entries(codes).map(([code, facts]) => [
    `\`${code}\``,
    facts.statuses.join(', '),
    facts.effect,
    'everywhere' in facts ? 'every call' : 'some',
    facts.meaning,
    facts.nextStep,
  ]);
  return page([
    '# Error codes',
    '`refused`: nothing was recorded. `rejected`: the bid was judged and the rejection recorded. `unknown`: a copy may have been let in.',
    table(['Code', 'HTTP', 'Effect', 'On', 'What it means', 'What to do'], rows),
  ]);
}

export function renderUnknowns(): string {
  const rows = unknowns.map((row) => [
    `\`${row.id}\``,
    row.where,
    row.unknown,
    row.meanwhile,
    choicesOf(row.id),
    row.settledBy,
  ]);
  return page([
    '# Open questions',
    'What the API text leaves open, and what the SDK does meanwhile. `startSandbox({ variants })` takes the choices of the last column but one, by row; the first is what the sandbox does without a word.',
    table(['Row', 'Where', 'Not known', 'Meanwhile', 'Sandbox', 'Settled by'], rows),
  ]);
}

/** What the sandbox can do about a row, the default first; nothing where it has no choice. */
function choicesOf(row: string): string {
  const [first, ...others] =
    Object.entries<readonly string[]>(choices).find(([key]) => key === row)?.[1] ?? [];
  if (first === undefined) return '';
  return [`**\`${first}\`**`, ...others.map((other) => `\`${other}\``)].join(', ');
}
