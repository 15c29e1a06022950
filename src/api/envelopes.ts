import * as z from 'zod';
import { anyObject } from './common.js';
import type { Envelope } from './operation.js';

const serverTime = z.string().optional().describe('Server time of the reply, ISO 8601.');
const requestId = z.string().optional().describe('Id of the request, for support.');

const pageFields = {
  current_page: z.int().describe('Page number of this page, from 1.'),
  last_page: z.int().describe('Number of the last page.'),
};
const total = z.int().optional().describe('Items on all pages.');

const pageLink = z.object({
  url: z.string().nullable().optional().describe('Where it leads; null where nowhere.'),
  label: z.string().optional().describe('Text of the link.'),
  active: z.boolean().optional().describe('Whether it is this page.'),
});

/** The whole JSON body that carries `payload` (one item, for pages) in an envelope. */
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
        code: z.string().optional().describe('`BID_ACCEPTED`.'),
        message: z.string().optional().describe('Human-readable outcome.'),
        data: payload,
        errors: z.array(z.string()).optional().describe('Codes; empty on success.'),
        request_id: requestId,
        timestamp: z.string().optional().describe('Server time of the reply, ISO 8601.'),
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
        per_page: z.int().optional().describe('Items per page.'),
        from: z.int().nullable().optional().describe('Position of the first item of this page.'),
        to: z.int().nullable().optional().describe('Position of the last item of this page.'),
        path: z.string().optional().describe('Address of the list without its query.'),
        first_page_url: z.string().nullable().optional().describe('The first page.'),
        last_page_url: z.string().nullable().optional().describe('The last page.'),
        next_page_url: z.string().nullable().optional().describe('The next page; null on the last one.'),
        prev_page_url: z.string().nullable().optional().describe('The page before; null on the first one.'),
        links: z.array(pageLink).optional().describe('Links for a row of page numbers.'),
      });
    case 'workflow_page':
      return z.object({
        data: z.object({ items: z.array(payload), ...pageFields, total }),
        server_time: serverTime,
      });
    case 'cursor_page':
      // The name of the list is undocumented (unknowns: `winner-update-list`); the pager looks for it.
      return z.object({
        data: z
          .union([z.array(payload), anyObject])
          .optional()
          .describe('The items, or what holds them.'),
        next_cursor: z
          .string()
          .nullable()
          .optional()
          .describe('Where the next page begins; null at the end.'),
      });
  }
}
