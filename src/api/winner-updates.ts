import * as z from 'zod';
import { filledText, positive } from './common.js';
import { optional } from './fields.js';
import { read, resource } from './operation.js';

export const WinnerUpdate = z.object({}).meta({
  title: 'A committed sale decision of the bank, as the pull API tells it; its fields are undocumented.',
  section: 'Non-record read shapes',
  open: 'A field of the update; the API text shows none.',
});

export const winnerUpdates = resource(
  'winnerUpdates',
  'Sale decisions that the bank has committed, read by cursor.',
  {
    list: read({
      id: 'winnerUpdates.list',
      path: '/winner-updates',
      scope: 'sales:read',
      summary: 'Lists the committed sale decisions from a cursor on, page by page.',
      notes: [
        'Store `next_cursor` only after every update of its page has been handled: what a crash cuts short then comes again. Asking twice with one cursor is safe, so handle updates in a way that bears repetition.',
        'An update tells of the same decision as the `sale.approved` event; count it once where both arrive.',
      ],
      section: 'Winner updates',
      query: z.strictObject({
        after: optional.of(
          filledText,
          'Cursor from which to go on: the `next_cursor` of the last page that was handled. Left out the first time.',
        ),
        limit: optional.of(positive, 'Updates per page, from 1; the maximum is undocumented.'),
      }),
      envelope: 'cursor_page',
      reply: WinnerUpdate,
    }),
  },
);
