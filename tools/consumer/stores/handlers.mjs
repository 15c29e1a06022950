export const secrets = process.env.WEBHOOK_SECRET;
export const on = {
  'sale.approved': ({ data }) => console.log('sold at', data.sale.amount),
  'auction.schedule_changed': ({ data }, { stale }) =>
    stale || console.log('closes', data.effective_close_at),
};
