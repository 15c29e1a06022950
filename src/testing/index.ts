export {
  type End,
  type Recording,
  type ReplayedCase,
  type ReplayOptions,
  replayRecording,
} from '../replay/index.js';
export {
  type StoreCase,
  type StoreConformanceOptions,
  type StoreStorage,
  storeConformance,
} from './store-conformance.js';
