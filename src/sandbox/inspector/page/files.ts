import { documentText } from './document.js';
import { domScript } from './dom-script.js';
import { faultsScript } from './faults-script.js';
import { formatScript } from './format-script.js';
import { ledgerScript } from './ledger-script.js';
import { lotsScript } from './lots-script.js';
import { mainScript } from './main-script.js';
import { requestDetailScript } from './request-detail-script.js';
import { requestsScript } from './requests-script.js';
import { sandboxScript } from './sandbox-script.js';
import { styleText } from './style.js';

export interface PageFile {
  readonly contentType: string;
  readonly text: string;
}

/**
 * The page and what it loads, by path. They are kept as text, not as functions of this program: a bundler or a minifier
 * in between must not change what browsers get.
 */
export const pageFiles: ReadonlyMap<string, PageFile> = new Map([
  ['/', { contentType: 'text/html; charset=utf-8', text: documentText }],
  ['/_sandbox/page.css', { contentType: 'text/css; charset=utf-8', text: styleText }],
  script('dom', domScript),
  script('format', formatScript),
  script('sandbox', sandboxScript),
  script('requests', requestsScript),
  script('request-detail', requestDetailScript),
  script('lots', lotsScript),
  script('faults', faultsScript),
  script('ledger', ledgerScript),
  script('main', mainScript),
]);

function script(name: string, text: string): readonly [string, PageFile] {
  return [`/_sandbox/page/${name}.js`, { contentType: 'text/javascript; charset=utf-8', text }];
}
