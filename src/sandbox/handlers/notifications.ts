import { notifications } from '../../api/notifications.js';
import { type Call, type Handler, param } from '../call.js';
import { cataloguePage, fixedPageSize } from '../pages.js';
import { notFound, Refusal, type Reply } from '../replies.js';
import { checkedQuery } from '../validation.js';
import { fresh } from '../workflow/changes.js';
import { carryOutOnce, unfit } from '../workflow/commands.js';
import type { Notice } from '../workflow/entities.js';
import { acknowledgmentView, noticeView, referringNoticeView } from '../workflow/views.js';

const { operations } = notifications;

/** A74, A75: the inbox, newest first, and acknowledging what is in it. */
export const notificationHandlers: Readonly<Record<string, Handler>> = {
  [operations.list.id]: list,
  [operations.acknowledge.id]: acknowledge,
};

function list(call: Call): Reply {
  const query = checkedQuery(operations.list.query, call.query);
  const inbox = [...call.world.cases.notices.values()].filter((notice) => isTo(call, notice)).reverse();
  const { variants } = call.world.settings;
  const listed =
    variants['notification-duplicates'] === 'once' ? inbox : inbox.flatMap((each) => [each, each]);
  const view = variants['notification-fields'] === 'headline' ? noticeView : referringNoticeView;
  return cataloguePage(call, listed, query.page ?? 1, fixedPageSize, view);
}

/** Says that a message was delivered or read; a later word replaces an earlier one. It changes nothing else. */
function acknowledge(call: Call): Reply {
  return carryOutOnce(call, operations.acknowledge.body, (body) => {
    const notice = call.world.cases.notices.get(param(call, 'notification'));
    if (notice === undefined || !isTo(call, notice)) throw new Refusal(notFound());
    const { status } = body;
    const takesAny = call.world.settings.variants['notification-ack-values'] === 'any';
    if (!takesAny && status !== 'read' && status !== 'delivered') {
      throw unfit('status', 'The status is read or delivered.');
    }
    const acknowledgment = {
      ...fresh(call.world, 'ack', 'notification_ack' as const, status, notice.to),
      externalReference: body.external_reference ?? null,
    };
    notice.acknowledgment = acknowledgment;
    return { record: acknowledgment, view: acknowledgmentView(acknowledgment) };
  });
}

/** An inbox is one reader's own: the bank does not read its partners', nor the other way round. */
function isTo({ party }: Call, { to }: Notice): boolean {
  return party.bankId === to.bankId && party.partnerId === to.partnerId;
}
