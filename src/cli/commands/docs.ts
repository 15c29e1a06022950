import type { Command } from 'commander';
import { type CodeFacts, codes } from '../../api/codes.js';
import { nearestTo } from '../../api/nearest.js';
import { routes } from '../../generated/routes.js';
import type { ApiPages } from '../docs/openapi.js';
import { withExamples } from '../help.js';
import { Output } from '../output.js';
import type { Terminal } from '../terminal.js';
import { UsageError } from '../usage-error.js';

/** A page, as a list shows it. */
interface Entry {
  /** Names under which it is found. */
  readonly names: readonly string[];
  readonly http: string;
  readonly summary: string;
  page(): string;
  /** What `--json` prints. */
  readonly json: object;
}

/** `docs`: operations, models and codes of the API, without a network. */
export function addDocs(program: Command, terminal: Terminal): void {
  const command = program
    .command('docs')
    .argument('[word]', 'an operation, a model, an error code, a status, or a word to search for')
    .description('Show the documentation of an operation, a model or an error code, offline.')
    .option('--json', 'print JSON: the description of one, or a line for each of a list');
  withExamples(command, 'docs A06\ndocs bids.submit\ndocs BID_BELOW_MINIMUM\ndocs 409\ndocs refund').action(
    (word: string | undefined, flags: { readonly json?: boolean }) =>
      show(word, flags.json === true, terminal),
  );
}

async function show(word: string | undefined, isJson: boolean, terminal: Terminal): Promise<void> {
  const { ApiPages } = await import('../docs/openapi.js');
  const out = new Output(terminal, isJson);
  const entries = entriesOf(new ApiPages());
  const found = word === undefined ? entries.filter(({ http }) => / /.test(http)) : search(entries, word);
  const [only] = found;
  if (only !== undefined && found.length === 1) {
    if (isJson) out.json(only.json);
    else terminal.out(`${only.page()}\n`);
    return;
  }
  const rows = found.map(({ names, http, summary }) => ({ name: names.join(' '), http, summary }));
  await out.list(rows, ['name', 'http', 'summary']);
}

function entriesOf(pages: ApiPages): readonly Entry[] {
  const operations = pages.operations.map((each): Entry => {
    const { operation, http } = each;
    const id = operation['x-id'];
    // One path can serve two methods, such as the record of a document and its content.
    const methods = routes.filter((route) => route.id === id).map(({ name }) => name);
    const names = [...new Set([id, operation.operationId, ...methods])];
    return { names, http, summary: operation.summary, page: () => pages.operation(each), json: operation };
  });
  const models = pages.modelNames.map((name): Entry => {
    const schema = pages.schema(name);
    const summary = schema.description ?? '';
    return { names: [name], http: 'model', summary, page: () => pages.model(name), json: schema };
  });
  const errors = Object.entries<CodeFacts>(codes).map(([name, facts]): Entry => {
    const { statuses, effect, meaning, nextStep } = facts;
    const http = statuses.join(', ');
    const page = () =>
      `${name}\n\nStatus: ${http}\nEffect: ${effect}, ${effects[effect]}\n\n${meaning}\n${nextStep}`;
    return { names: [name], http, summary: meaning, page, json: { code: name, ...facts } };
  });
  return [...operations, ...errors, ...models];
}

const effects = {
  refused: 'nothing was recorded',
  rejected: 'the bid was judged, and its rejection recorded',
  unknown: 'another copy of the request may have been accepted',
} as const;

/** @throws UsageError if nothing is found */
function search(entries: readonly Entry[], word: string): readonly Entry[] {
  const wanted = word.toLowerCase().replace(/^a(\d)$/, 'a0$1');
  const named = entries.filter(({ names }) => names.some((name) => name.toLowerCase() === wanted));
  if (named.length > 0) return named.slice(0, 1);
  if (/^\d{3}$/.test(wanted)) {
    const errors = entries.filter(({ http }) => http.split(', ').includes(wanted));
    if (errors.length > 0) return errors;
  }
  const isId = /^a\d+$/.test(wanted);
  const holding = entries.filter((entry) =>
    [...entry.names, entry.http, entry.summary].some((text) => text.toLowerCase().includes(wanted)),
  );
  if (holding.length > 0 && !isId) return holding;
  const words = entries.flatMap(({ names }) => names.filter((name) => name.length > 3));
  const nearest = isId ? nearestId(entries, Number(wanted.slice(1))) : nearestTo(word, words);
  const hint = nearest === undefined ? '"docs" lists the operations.' : `Did you mean ${nearest}?`;
  throw new UsageError(`There is no page for ${JSON.stringify(word)}. ${hint}`);
}

function nearestId(entries: readonly Entry[], wanted: number): string | undefined {
  const ids = entries.flatMap(({ names }) => names.filter((name) => /^A\d+$/.test(name)));
  const distance = (id: string) => Math.abs(Number(id.slice(1)) - wanted);
  return ids.toSorted((one, other) => distance(one) - distance(other))[0];
}
