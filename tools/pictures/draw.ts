/** Draws the states or layers of a text file, such as docs/pictures/life-of-a-bid.txt, as SVG. The form is described there. */

interface State {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly kind: string;
  readonly lines: readonly string[];
}

interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly lines: readonly string[];
}

export interface Picture {
  readonly title: string;
  readonly states: readonly State[];
  readonly arrows: readonly Arrow[];
  readonly notes: readonly string[];
}

const COLUMN = 170;
const ROW = 92;
const BOX = { width: 132, height: 64 };
const MARGIN = { x: 90, y: 80 };

/** By kind of state, and by kind of layer. */
const colours: Readonly<Record<string, string>> = {
  open: '#fff3d6',
  settled: '#e4f0e6',
  hand: '#e4f0e6',
  generated: '#eee',
  entry: '#dfeaf7',
};

const forms = {
  title: /^title (?<text>.+)$/,
  state: /^(?:state|layer) (?<name>[\w.]+) +(?<column>[\d.]+) (?<row>[\d.]+) +(?<kind>\w+) +(?<text>.+)$/,
  arrow: /^arrow (?<from>\w+) +-> (?<to>\w+) +(?<text>.+)$/,
  note: /^note (?<text>.+)$/,
};

/** @throws Error for a line that is none of the forms */
export function readPicture(text: string): Picture {
  const found = { title: '', states: [] as State[], arrows: [] as Arrow[], notes: [] as string[] };
  for (const line of text.split('\n').filter((each) => each !== '' && !each.startsWith('#'))) {
    const [form = '', groups = {}] = matched(line);
    const lines = (groups['text'] ?? '').split('\\n');
    if (form === 'title') found.title = lines.join(' ');
    if (form === 'note') found.notes.push(lines.join(' '));
    if (form === 'arrow') found.arrows.push({ from: groups['from'] ?? '', to: groups['to'] ?? '', lines });
    if (form === 'state') {
      const x = MARGIN.x + Number(groups['column']) * COLUMN;
      const y = MARGIN.y + Number(groups['row']) * ROW;
      found.states.push({ name: groups['name'] ?? '', x, y, kind: groups['kind'] ?? '', lines });
    }
  }
  return found;
}

function matched(line: string): [string, Readonly<Record<string, string>>] {
  for (const [form, pattern] of Object.entries(forms)) {
    const groups = pattern.exec(line)?.groups;
    if (groups !== undefined) return [form, groups];
  }
  throw new Error(`not a title, state, arrow or note: ${line}`);
}

export function drawPicture({ title, states, arrows, notes }: Picture): string {
  const width = Math.max(...states.map(({ x }) => x)) + MARGIN.x;
  const bottom = Math.max(...states.map(({ y }) => y)) + BOX.height / 2;
  const height = bottom + 30 + notes.length * 20;
  const placed = new Map(states.map((state) => [state.name, state]));
  const drawn = arrows.map(({ from, to, lines }) => drawArrow(placed.get(from), placed.get(to), lines));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `<title>${escaped(title)}</title>`,
    '<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8z" fill="#444"/></marker></defs>',
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    ...drawn.map(({ line }) => line),
    ...drawn.map(({ label }) => label),
    ...states.map(drawState),
    ...notes.map((note, index) => textAt(24, bottom + 30 + index * 20, [note], 'start')),
    '</svg>\n',
  ].join('\n');
}

function drawState({ name, x, y, kind, lines }: State): string {
  const { width, height } = BOX;
  const colour = colours[kind] ?? '#fff';
  return [
    `<rect x="${x - width / 2}" y="${y - height / 2}" width="${width}" height="${height}" rx="8" fill="${colour}" stroke="#444"/>`,
    `<text x="${x}" y="${y - 14}" text-anchor="middle" font-weight="bold">${name}</text>`,
    textAt(x, y + 10, lines, 'middle'),
  ].join('\n');
}

function drawArrow(from: State | undefined, to: State | undefined, lines: readonly string[]) {
  if (from === undefined || to === undefined) throw new Error(`an arrow leads nowhere: ${lines.join(' ')}`);
  const start = edge(from, to);
  const end = edge(to, from);
  const [x, y] = [(start.x + end.x) / 2, (start.y + end.y) / 2];
  const width = Math.max(...lines.map(({ length }) => length)) * 6;
  const line = `<path d="M${start.x} ${start.y} ${end.x} ${end.y}" stroke="#444" fill="none" marker-end="url(#head)"/>`;
  const back = `<rect x="${x - width / 2}" y="${y - lines.length * 8}" width="${width}" height="${lines.length * 16}" fill="#fff"/>`;
  return { line, label: `${back}\n${textAt(x, y + 12 - lines.length * 8, lines, 'middle')}` };
}

/** Where the line from the middle of one box to that of another leaves the first. */
function edge({ x, y }: State, towards: State): { readonly x: number; readonly y: number } {
  const [dx, dy] = [towards.x - x, towards.y - y];
  const scale = Math.min(BOX.width / 2 / Math.abs(dx), BOX.height / 2 / Math.abs(dy));
  return { x: Math.round(x + dx * scale), y: Math.round(y + dy * scale) };
}

function textAt(x: number, y: number, lines: readonly string[], anchor: 'start' | 'middle'): string {
  const spans = lines.map(
    (line, index) => `<tspan x="${x}" dy="${index === 0 ? 0 : 16}">${escaped(line)}</tspan>`,
  );
  return `<text x="${x}" y="${y}" text-anchor="${anchor}">${spans.join('')}</text>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
