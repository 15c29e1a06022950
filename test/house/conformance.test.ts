import { describe, expect, it } from 'vitest';
import { problemsOf, sections, taggedFiles, tagsIn } from '../../tools/conformance/conformance.js';

const tagged = taggedFiles();
const rules = sections.flatMap((section) => section.rules);

describe('the rules of the API text', () => {
  it('are each proved by a tagged test on every side that keeps them, and no tag names another', () => {
    expect(rules.length).toBeGreaterThan(140);
    expect(problemsOf(sections, tagged)).toEqual([]);
  });

  it('fail when a rule is untagged or tagged on one side only, and when a tag or an id is wrong', () => {
    const spoilt = new Map(tagged);
    spoilt.delete('bid.3');
    spoilt.set('bid.4', ['test/sandbox/bid-rules.test.ts']);
    spoilt.set('bid.33', ['test/money/minimum-bid.test.ts']);
    const [first] = sections;
    const twice = { title: '', chapter: '', rules: first?.rules.slice(0, 1) ?? [] };
    expect(problemsOf([...sections, twice], spoilt)).toEqual([
      'two rules have the id general.1',
      'test/money/minimum-bid.test.ts: no rule bid.33',
      'bid.3: no test of the client has the tag "// rule: bid.3"',
      'bid.3: no test of the sandbox has the tag "// rule: bid.3"',
      'bid.4: no test of the client has the tag "// rule: bid.4"',
    ]);
  });

  it('are read from comments of their own, several to a line', () => {
    const text = ["it('a', () => {});", '  // rule: bid.3, code.grid', "it('// rule: bid.1', () => {});"];
    expect(tagsIn(text.join('\n'))).toEqual(['bid.3', 'code.grid']);
  });
});
