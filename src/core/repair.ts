import * as z from 'zod';
import { asType } from '../api/tolerance.js';
import { decimalFromJsonNumber } from '../money/json-number.js';

/** Puts right, in place, what the service is known to send oddly. */
export type Repair = (value: unknown) => unknown;

/**
 * What to put right in values of a schema; undefined where there is nothing to. Two oddities are known: an empty
 * PHP array stands for an empty object, and one amount comes as a JSON number.
 */
export function repairOf(schema: z.ZodType): Repair | undefined {
  if (schema.meta()?.['numericMoney'] === true) {
    return (value) => (typeof value === 'number' ? moneyText(value) : value);
  }
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return repairOf(asType(schema.unwrap()));
  if (schema instanceof z.ZodUnion) return ofUnion(schema.options.map(asType));
  if (schema instanceof z.ZodArray) return each(repairOf(asType(schema.element)));
  if (schema instanceof z.ZodRecord) return emptyArrayAsObject(eachValue(repairOf(asType(schema.valueType))));
  if (schema instanceof z.ZodObject) return ofObject(schema);
  return undefined;
}

/** An empty array stands for an empty object only where no array is meant. */
function ofUnion(options: readonly z.ZodType[]): Repair | undefined {
  if (options.some((option) => option instanceof z.ZodArray)) return undefined;
  return options.map(repairOf).find((repair) => repair !== undefined);
}

function ofObject(schema: z.ZodObject): Repair | undefined {
  const fields = Object.entries(schema.shape)
    .map(([name, field]) => [name, repairOf(asType(field))] as const)
    .filter((entry): entry is readonly [string, Repair] => entry[1] !== undefined);
  const inside: Repair | undefined =
    fields.length === 0
      ? undefined
      : (value) => {
          if (!isObject(value)) return value;
          for (const [name, repair] of fields) {
            if (Object.hasOwn(value, name)) value[name] = repair(value[name]);
          }
          return value;
        };
  // An object with a required field is never empty, so an array there is an error and stays one.
  const mayBeEmpty = Object.values(schema.shape).every((field) => field instanceof z.ZodOptional);
  return mayBeEmpty ? emptyArrayAsObject(inside) : inside;
}

function each(repair: Repair | undefined): Repair | undefined {
  if (repair === undefined) return undefined;
  return (value) => {
    if (Array.isArray(value)) for (const [index, item] of value.entries()) value[index] = repair(item);
    return value;
  };
}

function eachValue(repair: Repair | undefined): Repair | undefined {
  if (repair === undefined) return undefined;
  return (value) => {
    if (!isObject(value)) return value;
    for (const name of Object.keys(value)) {
      // Defined, not assigned: a label `__proto__` stays a label.
      Object.defineProperty(value, name, {
        value: repair(value[name]),
        enumerable: true,
        writable: true,
        configurable: true,
      });
    }
    return value;
  };
}

function emptyArrayAsObject(inside: Repair | undefined): Repair {
  return (value) => {
    if (Array.isArray(value) && value.length === 0) return {};
    return inside === undefined ? value : inside(value);
  };
}

/** Decimal text of an amount; one that isn't money passes as text, for an accepted bid must not fail over it. */
function moneyText(value: number): string {
  try {
    return decimalFromJsonNumber(value);
  } catch {
    return Number.isInteger(value) ? BigInt(value).toString() : String(value);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
