import type { z } from 'zod';
import { allMethods, type Method, type Model, methodStem, models, modulesWithModels } from './catalogue.js';
import { docComment, HEADER, importType } from './emit.js';
import { descriptionOf, fieldsOf, isOptional, metaOf, typeOf } from './schema-type.js';

/** `src/models/<module>.ts`: the interfaces of replies, bodies and queries. */
export function renderModels(): Map<string, string> {
  return new Map(modulesWithModels().map((module) => [`src/models/${module}.ts`, renderModule(module)]));
}

function renderModule(module: string): string {
  const used = new Set<string>();
  const blocks: string[] = [];
  for (const model of models.filter((candidate) => candidate.module === module)) {
    blocks.push(renderModel(model, used));
  }
  let partnerTyped = false;
  for (const method of allMethods.filter((candidate) => candidate.resource.name === module)) {
    const { operation } = method;
    if (operation.query !== undefined) {
      blocks.push(
        renderInput(
          `${methodStem(method)}Query`,
          `Filters of \`${callName(method)}\`.`,
          operation.query,
          method,
          used,
        ),
      );
    }
    if (operation.body === undefined) continue;
    if (fieldsOf(operation.body).some(([, field]) => metaOf(field, 'partnerBid') === true)) {
      partnerTyped = true;
      blocks.push(renderPartnerBody(method, operation.body, used));
    } else {
      blocks.push(
        renderInput(
          `${methodStem(method)}Body`,
          `Body of \`${callName(method)}\`.`,
          operation.body,
          method,
          used,
        ),
      );
    }
  }
  const own = new Set(models.filter((model) => model.module === module).map((model) => model.name));
  const imports = modulesWithModels()
    .filter((other) => other !== module)
    .map((other) =>
      importType(
        models.filter((m) => m.module === other && used.has(m.name) && !own.has(m.name)).map((m) => m.name),
        `./${other}.js`,
      ),
    )
    .join('');
  const partnerImport = partnerTyped ? importType(['PartnerType'], '../api/operation.js') : '';
  const head = [partnerImport + imports].filter((text) => text !== '');
  return [HEADER, ...head, ...blocks].join('\n');
}

function renderModel({ name, schema }: Model, used: Set<string>): string {
  const section = String(schema.meta()?.['section'] ?? '');
  const doc = docComment([schema.meta()?.title, section === '' ? undefined : `API text: ${section}.`]);
  const labels =
    schema.meta()?.['labels'] === true
      ? '  /** A field label of the bank. */\n  readonly [label: string]: unknown;\n'
      : '';
  return `${doc}export interface ${name} {\n${renderFields(schema, { section, input: false }, used)}${labels}}\n`;
}

function renderInput(
  name: string,
  title: string,
  schema: z.ZodObject,
  method: Method,
  used: Set<string>,
): string {
  const section = method.operation.section;
  const doc = docComment([title, `API text: ${section}.`]);
  return `${doc}export interface ${name} {\n${renderFields(schema, { section, input: true }, used)}}\n`;
}

/** A bid's body comes in two: a platform's requires the buyer's reference, a direct dealer's forbids it. */
function renderPartnerBody(method: Method, schema: z.ZodObject, used: Set<string>): string {
  const stem = `${methodStem(method)}Body`;
  const section = method.operation.section;
  const call = callName(method);
  const variant = (kind: 'dealer' | 'platform', title: string) =>
    `${docComment([title, `API text: ${section}.`])}export interface ${kind === 'dealer' ? 'Dealer' : 'Platform'}${stem} {\n${renderFields(schema, { section, input: true, bidBy: kind }, used)}}\n`;
  return [
    variant('dealer', `Body of \`${call}\` for a direct dealer: without \`bidder_reference\`.`),
    variant('platform', `Body of \`${call}\` for a platform or aggregator: with \`bidder_reference\`.`),
    `${docComment([`Body of \`${call}\`, by kind of partner.`, `API text: ${section}.`])}export type ${stem}<P extends PartnerType = PartnerType> = P extends 'direct_dealer'\n  ? Dealer${stem}\n  : Platform${stem};\n`,
  ].join('\n');
}

interface FieldStyle {
  readonly section: string;
  /** Inputs may be given as `undefined`, and the client fills some of them in. */
  readonly input: boolean;
  readonly bidBy?: 'dealer' | 'platform';
}

function renderFields(schema: z.ZodObject, style: FieldStyle, used: Set<string>): string {
  return fieldsOf(schema)
    .map(([name, field]) => {
      const description = descriptionOf(field);
      if (description === undefined) throw new Error(`Field ${name} has no description`);
      const doc = docComment([`${description} (API: ${style.section})`], '  ');
      if (metaOf(field, 'partnerBid') === true && style.bidBy === 'dealer') {
        return `${docComment(['Left out: a direct dealer bids for itself.'], '  ')}  readonly ${name}?: never;\n`;
      }
      const required = metaOf(field, 'partnerBid') === true && style.bidBy === 'platform';
      const optional = !required && (isOptional(field) || (style.input && metaOf(field, 'filled') === true));
      const orUndefined = optional && style.input ? ' | undefined' : '';
      return `${doc}  readonly ${name}${optional ? '?' : ''}: ${typeOf(field, used)}${orUndefined};\n`;
    })
    .join('');
}

function callName({ resource, name }: Method): string {
  return `${resource.name}.${name}`;
}
