import { expect, it } from 'vitest';
import { sourcesUnder, textOf } from '../support/sources.js';

/** A user's projects, which show on purpose what does not compile. */
const consumers = /^tools\/consumer\/(esm|cjs|typed)\//;
const generated = /^src\/generated\//;

const marks =
  /:\s*any(\s*[;,)=\]>|&{]|$)|<any\b|\bas any\b|as unknown as|@ts-(ignore|expect-error|nocheck)|\b(TODO|FIXME|XXX|HACK)\b/;

it('source files have no holes in their types, and nothing is left for later', () => {
  const found = [...sourcesUnder('src'), ...sourcesUnder('tools')]
    .filter((file) => !generated.test(file) && !consumers.test(file))
    .flatMap((file) =>
      textOf(file)
        .split('\n')
        .flatMap((line, index) => (marks.test(line) ? [`${file}:${index + 1} ${line}`] : [])),
    );
  expect(found).toEqual([]);
});
