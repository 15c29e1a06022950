import { expect, it } from 'vitest';
import { visible } from '../../src/cli/terminal.js';

it.each([
  ['plain text, with\ttabs\r\nand lines', 'plain text, with\ttabs\r\nand lines'],
  ['₹ 4,65,000 गाड़ी', '₹ 4,65,000 गाड़ी'],
  ['\u001b[2Jcleared', '\\u001b[2Jcleared'],
  ['exe\u202egnp', 'exe\\u202egnp'],
  ['a\u200bb\u{e0041}', 'a\\u200bb\\udb40\\udc41'],
  ['\ud800', '\\ud800'],
])('A terminal shows %j with its invisible characters as escapes', (text, shown) => {
  expect(visible(text)).toBe(shown);
});

it('JSON stays the same text', () => {
  const text = JSON.stringify({ name: 'x\u202e\u0007\u{e0041}' });
  expect(JSON.parse(visible(text))).toEqual(JSON.parse(text));
});
