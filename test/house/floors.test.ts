import { describe, expect, it } from 'vitest';
import { importsOf, sourcesUnder, textOf } from '../support/sources.js';

/** Lowest first. A room imports from rooms before it, and from itself. */
const floors = [
  'api',
  'ports',
  'generated',
  'errors',
  'runtime',
  'money',
  'signing',
  'clock',
  'store',
  'quota',
  'core',
  'paging',
  'intents',
  'following',
  'bids',
  'approvals',
  'files',
  'inventory',
  'client',
  'index',
];

/** Rooms beside the floors, and all that each may import. */
const beside: Readonly<Record<string, readonly string[]>> = {
  webhooks: ['api', 'ports', 'generated', 'errors', 'runtime', 'signing', 'store'],
  sandbox: ['api', 'runtime'],
  sqlite: ['ports', 'errors', 'runtime', 'store'],
  postgres: ['ports', 'errors', 'runtime', 'signing', 'store'],
  replay: ['api', 'client', 'core', 'generated', 'index', 'ports', 'sandbox'],
  testing: ['errors', 'replay', 'store'],
  opentelemetry: ['client', 'core', 'errors'],
  csv: ['errors', 'money', 'bids', 'inventory'],
  learn: ['api', 'client', 'core', 'errors', 'money', 'ports', 'runtime', 'signing'],
  doctor: ['client', 'core', 'errors'],
  relay: ['sandbox', 'webhooks'],
  cli: [
    'api',
    'approvals',
    'bids',
    'client',
    'core',
    'csv',
    'doctor',
    'errors',
    'generated',
    'index',
    'learn',
    'money',
    'postgres',
    'replay',
    'relay',
    'sandbox',
    'sqlite',
    'store',
    'webhooks',
  ],
};

function roomOf(path: string): string {
  return path.split('/')[1]?.replace(/\.ts$/, '') ?? '';
}

function mayImport(from: string, to: string): boolean {
  if (from === to) return true;
  const allowed = beside[from];
  if (allowed !== undefined) return allowed.includes(to);
  if (from === 'index' && to === 'webhooks') return true;
  return floors.indexOf(to) !== -1 && floors.indexOf(to) < floors.indexOf(from);
}

const files = sourcesUnder('src');

describe('imports go one way', () => {
  it('every room has its place', () => {
    const known = [...floors, ...Object.keys(beside)];
    expect([...new Set(files.map(roomOf))].filter((room) => !known.includes(room))).toEqual([]);
  });

  it('no file reaches up or across', () => {
    const wrong = files.flatMap((file) =>
      importsOf(file)
        .filter((target) => target.startsWith('src/') && !mayImport(roomOf(file), roomOf(target)))
        .map((target) => `${file} → ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('nothing goes in circles', () => {
    const graph = new Map(
      files.map((file) => [file, importsOf(file).filter((target) => target.startsWith('src/'))]),
    );
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (file: string, trail: readonly string[]): void => {
      if (trail.includes(file)) circles.push([...trail.slice(trail.indexOf(file)), file].join(' → '));
      if (done.has(file) || trail.includes(file)) return;
      for (const target of graph.get(file) ?? []) visit(target, [...trail, file]);
      done.add(file);
    };
    for (const file of files) visit(file, []);
    expect(circles).toEqual([]);
  });

  it('node:crypto is used only where a runtime may be without it, and by the sandbox', () => {
    const users = files.filter((file) => /^import (?!type).*'node:crypto'/m.test(textOf(file)));
    expect(users.filter((file) => roomOf(file) !== 'sandbox')).toEqual([]);
  });

  it('packages are imported where they belong, and no others at all', () => {
    const places: Readonly<Record<string, RegExp>> = {
      zod: /^src\/(api|sandbox)\//,
      undici: /^src\/core\/transport\//,
      'big.js': /^src\/money\//,
      uuid: /^src\/intents\/derived-key\.ts$/,
      pg: /^src\/postgres\/pool\.ts$/,
      'csv-parse': /^src\/csv\//,
      commander: /^src\/cli\//,
      'cli-table3': /^src\/cli\//,
      '@opentelemetry/api': /^src\/opentelemetry\//,
      '@noble/hashes': /^src\/signing\/noble\.ts$/,
      node: /^src\/(core|runtime|signing|sandbox|cli|replay|store|sqlite|postgres|csv|files|doctor|relay)\/|^src\/money\/decimal-on-node\.ts$/,
    };
    const wrong = files.flatMap((file) =>
      importsOf(file)
        .filter((target) => !target.startsWith('src/'))
        .map((target) =>
          target.startsWith('node:') ? 'node' : (/^(@[^/]+\/)?[^/]+/.exec(target)?.[0] ?? target),
        )
        .filter((name) => places[name]?.test(file) !== true)
        .map((name) => `${file} → ${name}`),
    );
    expect(wrong).toEqual([]);
  });
});

it('Every unit of work goes through transact, which reads an unknown commit again', () => {
  const drivers = ['store', 'sqlite', 'postgres', 'testing'];
  const direct = files.filter(
    (file) => !drivers.includes(roomOf(file)) && textOf(file).includes('.transaction('),
  );
  expect(direct).toEqual([]);
});
