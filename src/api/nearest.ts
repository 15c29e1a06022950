/** What is wrong with an unknown name, within a sentence: the nearest known name, else all of them. */
export function unknownName(wrong: string, known: readonly string[], kind: 'option' | 'known field'): string {
  const nearest = nearestTo(wrong, known);
  const article = kind === 'option' ? 'an' : 'a';
  const all = `known ${kind === 'option' ? 'options' : 'fields'}: ${known.join(', ')}`;
  return `is not ${article} ${kind}; ${nearest === undefined ? all : `the nearest is ${nearest}`}`;
}

/** Misspellings that are recognised: two letters swapped, other case, singular or plural, and one wrong letter, or two in a long name. */
export function nearestTo(wrong: string, names: readonly string[]): string | undefined {
  if (wrong.length < 3) return undefined;
  const plain = (name: string) => name.toLowerCase().replace(/[^a-z]/g, '');
  const same = names.find((name) => plain(name) === plain(wrong));
  if (same !== undefined) return same;
  const allowed = wrong.length > 5 ? 2 : 1;
  const found = names
    .map((name) => ({ name, distance: distanceOf(plain(name), plain(wrong)) }))
    .filter(({ distance }) => distance <= allowed)
    .sort((one, other) => one.distance - other.distance);
  return found[0]?.name;
}

/** Letters to insert, drop, replace or swap until one text is the other (optimal string alignment). */
function distanceOf(one: string, other: string): number {
  let before: readonly number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (const [at, otherLetter] of [...other].entries()) {
      const replaced = (row[at] ?? 0) + (letter === otherLetter ? 0 : 1);
      const isSwapped = index > 0 && at > 0 && letter === other[at - 1] && one[index - 1] === otherLetter;
      const swapped = isSwapped ? (before[at - 1] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      next.push(Math.min(replaced, swapped, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row.at(-1) ?? 0;
}
