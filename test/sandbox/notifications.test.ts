import { expect, it } from 'vitest';
import { type Story, saleAfter } from './story.js';

const inbox = (story: Story, who = story.sold.who) => story.read('notifications', who);

// rule: notification.inbox
it('an acknowledgment keeps the latest word on a message: delivered, then read', async () => {
  const story = await saleAfter('approve');
  const delivered = { status: 'delivered', external_reference: undefined };
  expect(await story.do('read', delivered)).toMatchObject({ state: 'delivered' });
  story.sandbox.clock.advance(1_000);
  await story.do('read');
  expect((await inbox(story))[0].acknowledgment).toEqual({
    status: 'read',
    external_reference: 'T-1',
    acknowledged_at: '2026-03-01T10:00:01.000Z',
  });
});
