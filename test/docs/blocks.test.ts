import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readBids } from 'vehicle-auction-sdk/csv';
import { startSandbox } from 'vehicle-auction-sdk/sandbox';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { program } from '../../src/cli/run.js';
import { problemsIn } from '../support/compiler.js';
import { anchorsOf, docBlocks, docPages } from '../support/doc-blocks.js';
import { runMarks } from '../support/doc-runs.js';
import { root, textOf } from '../support/sources.js';

const blocks = docBlocks();
const typed = blocks.filter(({ language }) => language === 'ts');
describe('code in the docs', () => {
  it('compiles, strictly, against the package as it is built', () => {
    // As if each block were a file at the root: the package is found by its own name there.
    const files = new Map(
      typed.map((block, index) => [join(root, `doc-block-${index}.ts`), `${block.code}\nexport {};\n`]),
    );
    const problems = [...problemsIn(files).values()].flatMap((found, index) =>
      found.map((text) => `${typed[index]?.place}: ${text}`),
    );
    expect(problems).toEqual([]);
  });

  it('runs, all of it', () => {
    const code = blocks.filter(({ language }) => /^[cm]?[jt]sx?$|script$/.test(language));
    const idle = code.filter(
      ({ language, marks: [run, ...marks] }) =>
        !['ts', 'js'].includes(language) || run !== 'run' || !marks.every((mark) => runMarks.test(mark)),
    );
    // No exceptions so far: what can't run can't be known to work.
    expect(idle.map(({ place }) => place)).toEqual([]);
  });
});

describe('other blocks in the docs', () => {
  it('are of a kind that is checked here, and none is overlooked', () => {
    const others = blocks.filter(
      ({ language, page }) =>
        !['ts', 'js', 'sh', 'csv', 'text', 'json', 'yaml', 'dockerfile'].includes(language) &&
        // Run by test/docs/sql.test.ts.
        !(language === 'sql' && page === 'docs/stores.md'),
    );
    expect(others.map(({ place, language }) => `${place}: ${language || 'no language'}`)).toEqual([]);
    const fences = [...new Set(blocks.map(({ page }) => page))].flatMap((page) =>
      [...textOf(page).matchAll(/^\W*(?:```|~~~)/gm)].map(() => page),
    );
    expect(fences).toHaveLength(2 * blocks.length);
  });

  it('give commands that there are, for files that there are', () => {
    const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };
    const known: [RegExp, (word: string, page: string) => boolean][] = [
      [/^npm (?:ci|init -y|pkg set type=module|install vehicle-auction-sdk)$/, () => true],
      [/^npm install vehicle-auction-sdk (.+)$/, (names) => names.split(' ').every(isDevDependency)],
      [/^npx vitest run testing$/, () => true],
      [/^npm (test)$/, (script) => script in scripts],
      [/^(?:[A-Z_]+=\S+ )?npm run ([\w:]+)(?: --silent)?(?: -- .+)?$/, (script) => script in scripts],
      [/^npx vitest run (\S+)$/, (path) => existsSync(join(root, path))],
      [/^cp -r node_modules\/vehicle-auction-sdk\/(\S+) \.$/, (path) => existsSync(join(root, path))],
      // From the root of a clone, or in or beside the folder of an example that was copied.
      [
        /^npx (?:--yes )?tsx (?:--env-file=\S+ )?(\S+\.ts)\b/,
        (path, page) => [path, join(page, '..', path), join('examples', path)].some(isFile),
      ],
      // Generators of clients, which `tools/openapi` runs.
      [
        /^npx openapi-t\w+ (?:-i )?node_modules\/vehicle-auction-sdk\/(openapi\.json) -o [\w.]+$/,
        (path) => existsSync(join(root, path)),
      ],
      // Run on the vectors by test/examples/signing.test.ts.
      [/^VEHICLE_AUCTION_SIGNING_SECRET=\S+ python3 (\S+\.py) /, isFile],
      [/^esbuild app\.ts --bundle /, () => true],
      [/^npx vehicle-auction(?:-sdk)? (.*)$/, isOurCommand],
      // Sent for real below.
      [/^curl -X POST http:\/\/127\.0\.0\.1:4010\/_sandbox\//, () => true],
    ];
    const wrong = blocks
      .filter(({ language }) => language === 'sh')
      .flatMap(({ place, page, code }) =>
        commandsOf(code)
          .filter(
            (command) =>
              !known.some(([form, holds]) => {
                const found = form.exec(command);
                return found !== null && holds(found[1] ?? '', page);
              }),
          )
          .map((command) => `${place}: ${command}`),
      );
    expect(wrong).toEqual([]);
  });

  it('send the sandbox what it takes', async () => {
    const sent = blocks
      .filter(({ language }) => language === 'sh')
      .flatMap(({ code }) => commandsOf(code))
      .filter((command) => command.startsWith('curl '));
    expect(sent).not.toHaveLength(0);
    const sandbox = await startSandbox();
    for (const command of sent) {
      const [, path = ''] = /127\.0\.0\.1:4010(\S+)/.exec(command) ?? [];
      const headers = [...command.matchAll(/-H '([^:']+): ([^']+)'/g)].map(([, name = '', value = '']) => [
        name,
        value,
      ]);
      const [, body = ''] = /-d '([^']+)'/.exec(command) ?? [];
      const reply = await fetch(new URL(path, sandbox.baseUrl), {
        method: 'POST',
        headers: Object.fromEntries(headers),
        body,
      });
      expect(reply.status, command).toBe(200);
    }
    await sandbox.close();
  });

  it('show JSON that is JSON', () => {
    for (const { language, code } of blocks) if (language === 'json') JSON.parse(code);
  });

  it('show YAML that is YAML, and images whose steps Docker knows', () => {
    const step = /^(?:FROM node:\d+\S*|(?:WORKDIR|COPY|RUN|ENV|USER|VOLUME|CMD|HEALTHCHECK) .+)$/;
    for (const { language, code, place } of blocks) {
      if (language === 'yaml') expect(parse(code), place).toBeTypeOf('object');
      if (language === 'dockerfile')
        for (const line of code.trim().split('\n')) expect(line, place).toMatch(step);
    }
  });

  it('show tables that are read', async () => {
    const tables = blocks.filter(({ language }) => language === 'csv');
    expect(tables).not.toHaveLength(0);
    for (const { place, code } of tables) {
      for await (const row of readBids([code])) expect('issues' in row, `${place}, ${row.line}`).toBe(false);
    }
  });
});

/** The commands of a shell block, one by one; without comments. */
function commandsOf(code: string): string[] {
  return code
    .replaceAll('\\\n', ' ')
    .split(/\n|&&/)
    .map((command) =>
      command
        .replace(/(?:^| )#.*/, '')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    .filter((command) => command !== '');
}

/** Whether the command line has this command, and each of its flags. */
function isOurCommand(line: string): boolean {
  const words: string[] = line.match(/"[^"]*"|\S+/g) ?? [];
  let command = program({ out: () => undefined, err: () => undefined });
  while (words.length > 0) {
    const next = command.commands.find((one) => one.name() === words[0]);
    if (next === undefined) break;
    command = next;
    words.shift();
  }
  // A group alone does nothing.
  const isGroup = command.commands.length > 0;
  return (
    !isGroup &&
    words.every((word) => !word.startsWith('--') || command.options.some(({ long }) => long === word))
  );
}

/** A package, with a version or not, that the examples are tested with. */
function isDevDependency(name: string): boolean {
  const { devDependencies } = JSON.parse(textOf('package.json')) as { devDependencies: object };
  return name.replace(/(?<=.)@\d+$/, '') in devDependencies;
}

function isFile(path: string): boolean {
  return statSync(join(root, path), { throwIfNoEntry: false })?.isFile() === true;
}

describe('links in the docs', () => {
  it('lead to files that there are, and to headings in them', () => {
    const reference = readdirSync(join(root, 'docs/reference')).map((name) => `docs/reference/${name}`);
    const pages = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...docPages(), ...reference];
    const links = pages.flatMap((page) =>
      [...textOf(page).matchAll(/\]\(([^)#:]*)(?:#([^)]*))?\)/g)].map(([, path = '', heading]) => ({
        page,
        target: path === '' ? page : join(page, '..', path),
        heading,
      })),
    );
    expect(links.filter(({ heading }) => heading !== undefined)).not.toHaveLength(0);
    const broken = links.filter(
      ({ target, heading }) =>
        !existsSync(join(root, target)) ||
        (heading !== undefined && !anchorsOf(textOf(target)).includes(heading)),
    );
    expect(broken).toEqual([]);
  });
});

describe('pages for maintainers', () => {
  it.each(['CONTRIBUTING.md', 'docs/architecture.md'])('%s names only files that there are', (page) => {
    const named = [...textOf(page).matchAll(/`((?:[\w.-]+\/)+[\w.-]+\.\w+)`/g)].map(([, path = '']) => path);
    expect(named.length).toBeGreaterThan(10);
    const missing = named.filter(
      (path) => ![path, `src/${path}`].some((each) => existsSync(join(root, each))),
    );
    expect(missing).toEqual([]);
  });
});
