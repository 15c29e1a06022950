import * as z from 'zod';
import { anyObject } from './common.js';
import { nullable, optional } from './fields.js';
import type { Envelope } from './operation.js';

const serverTime = optional.text('Server time of the reply, ISO 8601.');
const requestId = optional.text('Id of the request, for support.');

const pageFields = {
  current_page: z.int().describe('Page number of this page, from 1.'),
  last_page: z.int().describe('Number of the last page.'),
};
const total = optional.int('Items on all pages.');

const pageLink = z.object({
  url: nullable.text('URL of the page; null if there is none.'),
  label: optional.text('Text of the link.'),
  active: optional.flag('Whether the link is the current page.'),
});

/** Schema of the JSON body that wraps `payload` in an envelope; for pages, `payload` is one item. */
export function envelopeSchema(
  envelope: Exclude<Envelope, 'binary' | 'whole' | 'raw'>,
  payload: z.ZodType,
): z.ZodObject {
  switch (envelope) {
    case 'object':
      return z.object({ data: payload });
    case 'read':
      return z.object({ data: payload, server_time: serverTime });
    case 'command':
      return z.object({ data: payload, request_id: requestId, server_time: serverTime });
    case 'bid':
      return z.object({
        success: z.literal(true),
        code: optional.text('`BID_ACCEPTED`.'),
        message: optional.text('Human-readable outcome.'),
        data: payload,
        errors: optional.of(z.array(z.string()), 'Codes; empty on success.'),
        request_id: requestId,
        timestamp: optional.text('Server time of the reply, ISO 8601.'),
      });
    case 'page':
      return z.object({ data: z.array(payload), ...pageFields, total });
    case 'results_page':
      return z.object({ data: z.array(payload), ...pageFields });
    case 'bids_page':
      return z.object({
        data: z.array(payload),
        ...pageFields,
        total,
        per_page: optional.int('Items per page.'),
        from: nullable.int('Position of the first item of this page.'),
        to: nullable.int('Position of the last item of this page.'),
        path: optional.text('Address of the list without its query.'),
        first_page_url: nullable.text('The first page.'),
        last_page_url: nullable.text('The last page.'),
        next_page_url: nullable.text('The next page; null on the last one.'),
        prev_page_url: nullable.text('The previous page; null on the first one.'),
        links: optional.of(z.array(pageLink), 'Links for a row of page numbers.'),
      });
    case 'workflow_page':
      return z.object({
        data: z.object({ items: z.array(payload), ...pageFields, total }),
        server_time: serverTime,
      });
    case 'cursor_page':
      // The name of the list is undocumented (unknowns: `winner-update-list`); the pager looks for it.
      return z.object({
        data: optional.of(z.union([z.array(payload), anyObject]), 'The items, or an object that holds them.'),
        next_cursor: nullable.text('Cursor of the next page; null at the end.'),
        server_time: serverTime,
      });
  }
}
