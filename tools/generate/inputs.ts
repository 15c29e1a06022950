import type { z } from 'zod';
import { callName, inputType, isPartnerTyped, type Method } from './catalogue.js';
import { docComment, property } from './emit.js';
import { fieldDoc } from './field-doc.js';
import { fieldsOf, mayBeLeftOut, metaOf, type Spelling, typeOf } from './schema-type.js';

export interface InputBlock {
  readonly text: string;
  readonly partnerTyped: boolean;
}

/** The interfaces of what a method takes: its query and its body. */
export function renderInputs(method: Method, spelling: Spelling): InputBlock[] {
  const { query, body } = method.operation;
  const blocks: InputBlock[] = [];
  if (query !== undefined) {
    const title = `Query of \`${callName(method)}\`.`;
    blocks.push(plain(renderInput(inputType(method, 'query'), title, query, method, spelling)));
  }
  if (body === undefined) return blocks;
  if (isPartnerTyped(method)) {
    blocks.push({ text: renderPartnerBody(method, body, spelling), partnerTyped: true });
  } else {
    const title = `Body of \`${callName(method)}\`.`;
    blocks.push(plain(renderInput(inputType(method, 'body'), title, body, method, spelling)));
  }
  return blocks;
}

function plain(text: string): InputBlock {
  return { text, partnerTyped: false };
}

type BidBy = 'dealer' | 'platform';

function renderInput(
  name: string,
  title: string,
  schema: z.ZodObject,
  { operation: { section } }: Method,
  spelling: Spelling,
  bidBy?: BidBy,
): string {
  const fields = fieldsOf(schema).map(([field, type]) =>
    renderInputField(name, field, type, section, spelling, bidBy),
  );
  return `${docComment([title, `API text: ${section}.`])}export interface ${name} {\n${fields.join('')}}\n`;
}

/** A field that a caller may leave out may be `undefined` as well, whatever the caller's compiler options. */
function renderInputField(
  owner: string,
  name: string,
  schema: z.ZodType,
  section: string,
  spelling: Spelling,
  bidBy?: BidBy,
): string {
  const ofBidder = metaOf(schema, 'partnerBid') === true;
  if (ofBidder && bidBy === 'dealer') {
    return `${docComment(['Left out: a direct dealer bids for itself.'], '  ')}  readonly ${name}?: never;\n`;
  }
  const optional = mayBeLeftOut(schema) && !(ofBidder && bidBy === 'platform');
  const type = `${typeOf(schema, spelling)}${optional ? ' | undefined' : ''}`;
  return fieldDoc(owner, name, schema, section) + property(`${name}${optional ? '?' : ''}`, type);
}

/** A bid's body comes in two: a platform's requires the buyer's reference, a direct dealer's forbids it. */
function renderPartnerBody(method: Method, schema: z.ZodObject, spelling: Spelling): string {
  const type = inputType(method, 'body');
  const call = callName(method);
  const { section } = method.operation;
  const dealer = `Body of \`${call}\` for a direct dealer: without \`bidder_reference\`.`;
  const platform = `Body of \`${call}\` for a platform or aggregator: with \`bidder_reference\`.`;
  return [
    renderInput(`Dealer${type}`, dealer, schema, method, spelling, 'dealer'),
    renderInput(`Platform${type}`, platform, schema, method, spelling, 'platform'),
    `${docComment([`Body of \`${call}\`, by kind of partner.`, `API text: ${section}.`])}export type ${type}<P extends PartnerType = PartnerType> = P extends 'direct_dealer'
  ? Dealer${type}
  : Platform${type};
`,
  ].join('\n');
}
