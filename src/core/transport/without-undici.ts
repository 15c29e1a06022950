import { missingApi } from '../../runtime/node-modules.js';

// Takes the place of the package undici in bundles for Cloudflare Workers (`imports` of package.json). A client there uses
// `fetch`, so that only a bundle that runs on another runtime gets here.
throw missingApi('undici');
