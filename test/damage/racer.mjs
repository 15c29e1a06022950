// A process that places one bid whenever it is told to, with a client of its own each time, and says what became of it.
import { fileJournal, PartnerClient } from 'vehicle-auction-sdk';
import { postgresJournal } from 'vehicle-auction-sdk/postgres';

const { baseUrl, credentials, journal } = JSON.parse(process.argv[2] ?? '{}');
const { dealerId, ...key } = credentials;

process.on('message', async (bid) => {
  const auction = new PartnerClient({
    baseUrl,
    credentials: key,
    partnerType: 'direct_dealer',
    dealerId,
    journal:
      journal.file === undefined
        ? postgresJournal({ connectionString: journal.url, schema: journal.schema })
        : fileJournal(journal.file),
    quota: { limit: Number.POSITIVE_INFINITY },
    logLevel: 'off',
  });
  const said = await auction.bidding.place(bid).catch((error) => error);
  await auction.close();
  const { status, quarantined, name, fault, message } = said;
  process.send?.({ status, quarantined, name, fault, message });
});
process.send?.('ready');
