import * as z from 'zod';
import { filledText, positive } from './common.js';
import { optional } from './fields.js';
import { read, resource } from './operation.js';

export const WinnerUpdate = z.object({}).meta({
  title: 'A committed sale decision of the bank. Its fields are undocumented.',
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
      summary: 'Lists committed sale decisions from a cursor, page by page.',
      notes: [
        'Store `next_cursor` only after you have handled every update of its page. After a crash, unhandled updates are then returned again. Handle updates idempotently, because the same cursor can be read twice.',
        'An update and the `sale.approved` event report the same decision; if both arrive, count it once.',
      ],
      section: 'Winner updates',
      query: z.strictObject({
        after: optional.of(
          filledText,
          'Cursor to continue from: the `next_cursor` of the last page that you handled. Omit it the first time.',
        ),
        limit: optional.of(positive, 'Updates per page, from 1; the maximum is undocumented.'),
      }),
      envelope: 'cursor_page',
      reply: WinnerUpdate,
    }),
  },
);
