export {
  type StoreCase,
  type StoreConformanceOptions,
  type StoreStorage,
  storeConformance,
} from './store-conformance.js';
