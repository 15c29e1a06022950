import { describe, expect, it } from 'vitest';
import { sourcesUnder, textOf } from '../support/sources.js';

const generated = /^src\/(models|resources)\//;
/** Data without logic, which may be long: the API as data, the seeds, the list of what is exported. */
const tables = /^src\/(api\/|sandbox\/seed\/|index\.ts$)/;
/** A user's projects, which show on purpose what doesn't compile. */
const consumers = /^tools\/consumer\/(esm|cjs|typed)\//;
const handWritten = [...sourcesUnder('src'), ...sourcesUnder('tools')].filter(
  (file) => !generated.test(file) && !consumers.test(file),
);

describe('small rooms', () => {
  it('no hand-written file is over 500 lines, tables of data aside', () => {
    const long = handWritten
      .filter((file) => !tables.test(file))
      .map((file) => [file, textOf(file).split('\n').length] as const)
      .filter(([, lines]) => lines > 500);
    expect(long).toEqual([]);
  });

  it('no file is called utils, helpers, misc or common, but for the vocabulary of the API', () => {
    const drawers = handWritten.filter((file) => /\/(utils?|helpers?|misc|common)(\.ts|\/)/.test(file));
    expect(drawers).toEqual(['src/api/common.ts']);
  });

  it('types have no holes, and nothing is left for later', () => {
    const marks =
      /:\s*any(\s*[;,)=\]>|&{]|$)|<any\b|\bas any\b|as unknown as|@ts-(ignore|expect-error|nocheck)|\b(TODO|FIXME|XXX|HACK)\b/;
    const found = handWritten.flatMap((file) =>
      textOf(file)
        .split('\n')
        .map((line, index) => [`${file}:${index + 1}`, line] as const)
        .filter(([, line]) => marks.test(line)),
    );
    expect(found).toEqual([]);
  });

  it('barrels are the entries of the package, and no others', () => {
    const barrels = handWritten.filter(
      (file) => file.startsWith('src/') && /^export .* from '/m.test(textOf(file)),
    );
    expect(barrels).toEqual([
      'src/csv/index.ts',
      'src/index.ts',
      'src/postgres/index.ts',
      'src/sandbox/index.ts',
      'src/sqlite/index.ts',
      'src/webhooks/index.ts',
    ]);
  });
});
