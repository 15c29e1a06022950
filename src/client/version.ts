/** Version of this package, sent in `User-Agent`. A test compares it with package.json. */
export const VERSION = '0.7.0';
