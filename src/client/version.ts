/** Version of this package, sent as `User-Agent`; a test holds it to package.json. */
export const VERSION = '0.7.0';
