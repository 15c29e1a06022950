import { expect, test } from 'vitest';
import { attachment } from '../../src/sandbox/http/replies.js';

test.each([
  ['slip.pdf', 'attachment; filename="slip.pdf"'],
  ['my slip (2).pdf', 'attachment; filename="my slip (2).pdf"'],
  ['a"b\\c.pdf', `attachment; filename="a_b_c.pdf"; filename*=UTF-8''a%22b%5Cc.pdf`],
  ['50%.pdf', `attachment; filename="50_.pdf"; filename*=UTF-8''50%25.pdf`],
  ['रसीद.pdf', `attachment; filename="____.pdf"; filename*=UTF-8''%E0%A4%B0%E0%A4%B8%E0%A5%80%E0%A4%A6.pdf`],
  ['a\r\nX: 1', `attachment; filename="a__X: 1"; filename*=UTF-8''a%0D%0AX%3A%201`],
  ['\ud800', `attachment; filename="_"; filename*=UTF-8''%EF%BF%BD`],
  ['😀', `attachment; filename="_"; filename*=UTF-8''%F0%9F%98%80`],
])('%j can stand in a header', (filename, header) => {
  expect(attachment(filename)).toBe(header);
  expect(() => new Headers({ 'Content-Disposition': attachment(filename) })).not.toThrow();
});
