import type { z } from 'zod';
import type { Operation, VersionSource } from '../../src/api/operation.js';
import type { Method } from './catalogue.js';
import { docComment } from './emit.js';
import { camel, quoted } from './names.js';
import { descriptionOf, fieldsOf } from './schema-type.js';
import { DOCUMENTED_ONLY, isPaged, sourceOf } from './wire.js';

/** Codes that every command, or every call that names a record, can meet; not worth a line each time. */
const commonplace: readonly string[] = ['NOT_FOUND', 'IDEMPOTENCY_KEY_REQUIRED', 'IDEMPOTENCY_CONFLICT'];

/** The docs of a method; of a versioned command, those of the overload that takes an id. */
export function methodDoc({ operation }: Method): string {
  const { versionFrom } = operation;
  const alternative = ' The record itself may stand in its place; its version is then sent.';
  const docs = paramDocs(operation, (param, text) =>
    param === versionFrom?.param ? text + alternative : text,
  );
  return docComment([...whatToKnow(operation), ...docs], '  ');
}

/** The docs of the overload that takes the record in place of its id. Whole, because editors show one overload's. */
export function recordDoc({ operation }: Method, { param, field }: VersionSource): string {
  const record = `The record as it was read or returned: its id, and its \`${field}\` as \`expected_version\`.`;
  const docs = paramDocs(operation, (name, text) => (name === param ? record : text), 'expected_version');
  return docComment([...whatToKnow(operation), ...docs], '  ');
}

function whatToKnow(operation: Operation): (string | undefined)[] {
  const own = operation.refusals.filter((code) => !commonplace.includes(code));
  return [
    operation.summary,
    ...(operation.availability === 'documented' ? [DOCUMENTED_ONLY] : []),
    isPaged(operation) ? 'Returns a pager: nothing is sent before it is walked.' : undefined,
    ...(operation.notes ?? []),
    ...(operation.hints ?? []),
    own.length === 0 ? undefined : `Codes of its own: ${quoted(own)}.`,
    `API: ${sourceOf(operation)}, scope \`${operation.scope}\`; "${operation.section}".`,
  ];
}

function paramDocs(
  operation: Operation,
  reword: (param: string, text: string) => string,
  without?: string,
): string[] {
  const { params = {}, query, body, effect } = operation;
  const docs = Object.entries(params).map(
    ([param, schema]) => `@param ${camel(param)} ${reword(param, descriptionOf(schema) ?? '')}`,
  );
  if (query !== undefined) docs.push(`@param query What to ask for: ${fieldNames(query)}.`);
  if (body !== undefined) docs.push(`@param body What to send: ${fieldNames(body, without)}.`);
  const key = effect === 'read' ? '' : '; the idempotency key';
  docs.push(`@param options Signal, timeout, deadline, attempts and lane of this call${key}.`);
  return docs;
}

function fieldNames(schema: z.ZodObject, without?: string): string {
  const names = fieldsOf(schema).map(([name]) => name);
  return quoted(names.filter((name) => name !== without));
}
