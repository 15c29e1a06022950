import { expect, it } from 'vitest';
import { inputChecker, replyChecker } from '../../src/api/check.js';
import { routes } from '../../src/routes/all.js';
import { examples } from '../../tools/generate/openapi-fixed.js';

const described = routes
  .filter(({ reply }) => reply !== undefined)
  .map((route) => [route.name, route] as const);

it.each(described)('The example of %s fits its operation', (name, { body, reply }) => {
  const example = examples[name];
  if (example === undefined || reply === undefined)
    throw new Error(`${name} has no example: npm run examples`);
  expect(replyChecker(reply)(structuredClone(example.reply)).issues).toEqual([]);
  expect(example.request === undefined).toBe(body === undefined);
  if (body === undefined) return;
  const { _method, ...sent } = Object(example.request);
  expect(inputChecker(body)(sent).issues).toEqual([]);
});

it('Every operation that answers with JSON has an example in openapi.json, and no other has', () => {
  const answering = routes.filter(({ envelope }) => envelope !== 'binary').map(({ name }) => name);
  expect(Object.keys(examples)).toEqual(answering);
});
