import * as z from 'zod';
import { filledText, positive } from './common.js';
import type { Resource } from './operation.js';

export const WinnerUpdate = z.object({}).meta({
  title: 'A committed sale decision of the bank, as the pull API tells it; its fields are undocumented.',
  section: 'Non-record read shapes',
  open: 'A field of the update; the API text shows none.',
});

export const winnerUpdates = {
  name: 'winnerUpdates',
  summary: 'Sale decisions that the bank has committed, read by cursor.',
  operations: {
    list: {
      id: 'winnerUpdates.list',
      method: 'GET',
      path: '/winner-updates',
      scope: 'sales:read',
      availability: 'callable',
      effect: 'read',
      summary: 'Lists the committed sale decisions from a cursor on, page by page.',
      notes: [
        'Store `next_cursor` only after every update of its page has been handled: what a crash cuts short then comes again. Asking twice with one cursor is safe, so handle updates in a way that bears repetition.',
        'An update tells of the same decision as the `sale.approved` event; count it once where both arrive.',
      ],
      section: 'Winner updates',
      query: z.strictObject({
        after: filledText
          .optional()
          .describe(
            'Cursor from which to go on: the `next_cursor` of the last page that was handled. Left out the first time.',
          ),
        limit: positive.optional().describe('Updates per page, from 1; the maximum is undocumented.'),
      }),
      success: [200],
      envelope: 'cursor_page',
      reply: WinnerUpdate,
      refusals: [],
    },
  },
} as const satisfies Resource;
