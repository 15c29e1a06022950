import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { anyObject, openEnum } from '../../src/api/common.js';
import { typeOf } from '../../tools/generate/schema-type.js';
import { docComment, table } from '../../tools/generate/text.js';
import { catalogue, samples } from './samples.js';

describe('types', () => {
  it.each<[schema: z.ZodType, type: string]>([
    [z.literal('INR'), "'INR'"],
    [z.literal(["it's", 7, true, null]), "'it\\'s' | 7 | true | null"],
    [z.enum(['a', 'b']), "'a' | 'b'"],
    [openEnum('a', 'b').nullable(), "'a' | 'b' | (string & {}) | null"],
    [z.array(openEnum('a')), "readonly ('a' | (string & {}))[]"],
    [z.array(z.array(z.int())), 'readonly (readonly number[])[]'],
    [z.union([z.string(), anyObject]), 'string | { readonly [key: string]: unknown }'],
    [z.array(anyObject), 'readonly { readonly [key: string]: unknown }[]'],
    [z.array(anyObject.nullable()), 'readonly ({ readonly [key: string]: unknown } | null)[]'],
    [z.union([z.string(), z.string().min(1), z.null()]), 'string | null'],
    [z.unknown(), 'unknown'],
    [z.array(samples.SampleRecord.describe('Again.')), 'readonly SampleRecord[]'],
    [z.string().meta({ file: true }).optional(), 'string | FileContent'],
  ])('are spelt: %#', (schema, type) => {
    expect(typeOf(schema, catalogue)).toBe(type);
  });

  it('are not guessed', () => {
    expect(() => typeOf(z.date(), catalogue)).toThrow('No TypeScript spelling for a schema of kind "date"');
    expect(() => typeOf(z.literal(7n), catalogue)).toThrow('No TypeScript spelling for the literal 7');
    expect(() => typeOf(z.array(z.object({})), catalogue)).toThrow('an object needs a name');
  });
});

describe('lines', () => {
  it('of comments wrap, and cannot be ended from inside', () => {
    expect(docComment(['ends */ early'])).toBe('/** ends *\\/ early */\n');
    expect(docComment(['One.', undefined, '', 'Two.', '@param a A.', '@param b B.'], '  ')).toBe(
      '  /**\n   * One.\n   *\n   * Two.\n   * @param a A.\n   * @param b B.\n   */\n',
    );
    const wrapped = docComment([`${'word '.repeat(60)}end`], '  ').split('\n');
    expect(Math.max(...wrapped.map((line) => line.length))).toBeLessThanOrEqual(110);
    expect(wrapped.join(' ').match(/word/g)).toHaveLength(60);
  });

  it('of tables are one line each, whatever stands in a cell', () => {
    const cells = table(['A', 'B', 'C'], [['a | b', 'c\n d', 'e \\| f']]);
    expect(cells).toBe('| A | B | C |\n|---|---|---|\n| a \\| b | c d | e \\| f |');
  });
});
