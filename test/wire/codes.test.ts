import { isThorough, thoroughly } from '../support/thorough.js';
import { describeCodes } from './codes-suite.js';
import { socketDriver } from './socket-driver.js';

describeCodes('on a real socket', socketDriver, {
  whole: isThorough
    ? [
        'bids.submit',
        'saleCases.decide',
        'documents.upload',
        'inventory.updateVehicle',
        'webhookSubscriptions.create',
        'lots.statusBatch',
        'events.get',
        'events.lots',
        'events.media',
      ]
    : ['bids.submit', 'saleCases.decide', 'lots.statusBatch', 'events.get'],
  oneIn: thoroughly(24, 8),
});
