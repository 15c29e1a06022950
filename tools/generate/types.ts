import type { z } from 'zod';
import { type Catalogue, inputType, isPartnerTyped, type Method, type Model } from './catalogue.js';
import { isOptional, mayBeLeftOut, meaningOf, metaOf, schemaFields, textOf, typeOf } from './schema-type.js';
import { docComment, kebab } from './text.js';

/** The interfaces of a module: replies, bodies and queries. */
export function renderTypes(module: string, catalogue: Catalogue): string[] {
  const models = catalogue.models.filter((model) => model.module === module);
  const methods = catalogue.methods.filter(({ resource }) => kebab(resource.name) === module);
  return [
    ...models.map((model) => renderModel(model, catalogue)),
    ...methods.flatMap((method) => renderInputs(method, catalogue)),
  ];
}

function renderModel({ name, schema }: Model, catalogue: Catalogue): string {
  const section = textOf(schema, 'section');
  const title = textOf(schema, 'title');
  if (section === undefined || title === undefined) throw new Error(`${name} needs a title and a section`);
  const fields = schemaFields(schema).map(([field, type]) => {
    const mark = isOptional(type) ? '?' : '';
    return `${fieldDoc(name, field, type, section)}  readonly ${field}${mark}: ${typeOf(type, catalogue)};\n`;
  });
  const open = textOf(schema, 'open');
  const rest = open === undefined ? '' : `${docComment([open], '  ')}  readonly [field: string]: unknown;\n`;
  const doc = docComment([title, `API text: ${section}.`]);
  return `${doc}export interface ${name} {\n${fields.join('')}${rest}}\n`;
}

/** The interfaces of what a method takes: its query and its body. */
function renderInputs(method: Method, catalogue: Catalogue): string[] {
  const { name, query, body, section } = method.operation;
  const render = (type: string, title: string, schema: z.ZodObject, bidBy?: BidBy) => {
    const fields = schemaFields(schema).map(([field, own]) =>
      renderInputField(type, field, own, section, catalogue, bidBy),
    );
    return `${docComment([title, `API text: ${section}.`])}export interface ${type} {\n${fields.join('')}}\n`;
  };
  const blocks =
    query === undefined ? [] : [render(inputType(method, 'query'), `Query of \`${name}\`.`, query)];
  if (body === undefined) return blocks;
  const type = inputType(method, 'body');
  const title = `Body of \`${name}\``;
  if (!isPartnerTyped(method)) return [...blocks, render(type, `${title}.`, body)];
  const dealer = `${title} for a direct dealer: without \`bidder_reference\`.`;
  const platform = `${title} for a platform or aggregator: with \`bidder_reference\`.`;
  return [
    ...blocks,
    render(`Dealer${type}`, dealer, body, 'dealer'),
    render(`Platform${type}`, platform, body, 'platform'),
    `${docComment([`${title}, by kind of partner.`, `API text: ${section}.`])}export type ${type}<P extends PartnerType = PartnerType> = P extends 'direct_dealer'
  ? Dealer${type}
  : Platform${type};
`,
  ];
}

/** What a field means, and where the API text has it. */
function fieldDoc(owner: string, name: string, schema: z.ZodType, section: string): string {
  const meaning = meaningOf(schema);
  if (meaning === undefined) throw new Error(`${owner}.${name} has no description`);
  return docComment([`${meaning} (API: ${section})`], '  ');
}

/** A bid's body comes in two: a platform's requires the buyer's reference, a direct dealer's forbids it. */
type BidBy = 'dealer' | 'platform';

/** A field that a caller may leave out may be `undefined` as well, whatever the caller's compiler options. */
function renderInputField(
  owner: string,
  name: string,
  schema: z.ZodType,
  section: string,
  catalogue: Catalogue,
  bidBy?: BidBy,
): string {
  const ofBidder = metaOf(schema, 'partnerBid') === true;
  if (ofBidder && bidBy === 'dealer')
    return `${docComment(['Left out: a direct dealer bids for itself.'], '  ')}  readonly ${name}?: never;\n`;
  const optional = mayBeLeftOut(schema) && !(ofBidder && bidBy === 'platform');
  const type = `${typeOf(schema, catalogue)}${optional ? ' | undefined' : ''}`;
  return `${fieldDoc(owner, name, schema, section)}  readonly ${name}${optional ? '?' : ''}: ${type};\n`;
}
