/** The page of `docs/conformance.md`, taken apart as it stands. */
export interface ConformancePage {
  /** Every code span. */
  readonly spans: readonly string[];
  readonly operations: readonly Row[];
  readonly planned: readonly Row[];
  readonly sections: ReadonlyMap<string, readonly PageRule[]>;
}

/** Cells of a table, by the heads of their columns; code spans without their marks. */
type Row = Readonly<Record<string, string>>;

export interface PageRule {
  readonly label: string;
  readonly keeper: string;
  readonly code: readonly string[];
  readonly tests: readonly string[];
}

export function readPage(text: string): ConformancePage {
  const parts = text.split(/^## /m).slice(1);
  const bodies = new Map(
    parts.map((part): [string, string] => {
      const end = part.indexOf('\n');
      return [part.slice(0, end), part.slice(end)];
    }),
  );
  const rules = [...bodies].filter(([title]) => title !== OPERATIONS && title !== PLANNED);
  return {
    spans: spansOf(text),
    operations: rowsOf(bodies.get(OPERATIONS) ?? ''),
    planned: rowsOf(bodies.get(PLANNED) ?? ''),
    sections: new Map(rules.map(([title, body]) => [title, rulesOf(body)])),
  };
}

const OPERATIONS = 'Operations';
const PLANNED = 'Planned operations';

function rowsOf(body: string): Row[] {
  const [head = [], , ...rows] = body
    .split('\n')
    .filter((line) => line.startsWith('| ') || line.startsWith('|-'))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim().replace(/^`([^`]*)`$/, '$1')),
    );
  return rows.map((cells) => Object.fromEntries(head.map((name, at) => [name, cells[at] ?? ''])));
}

function rulesOf(body: string): PageRule[] {
  return body
    .split(/^- /m)
    .slice(1)
    .map((rule) => {
      const [first = ''] = rule.split('\n');
      const [, label = ''] = /^\*\*(.+?)\.\*\* /.exec(first) ?? [];
      const [, keeper = ''] = / \*([^*]+)\.\*$/.exec(first) ?? [];
      return { label, keeper, code: spansOf(lineOf(rule, 'Code')), tests: spansOf(lineOf(rule, 'Tests')) };
    });
}

function lineOf(rule: string, name: string): string {
  return rule.split('\n').find((line) => line.startsWith(`  - ${name}: `)) ?? '';
}

function spansOf(text: string): string[] {
  return [...text.matchAll(/(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)/g)].map(([, , span = '']) => span);
}
