/* Run by Jest, which has a module loader of its own: it refuses ES modules in `require` and knows no `import()`. */
const modules = {
  sdk: require('vehicle-auction-sdk'),
  csv: require('vehicle-auction-sdk/csv'),
  postgres: require('vehicle-auction-sdk/postgres'),
  sandbox: require('vehicle-auction-sdk/sandbox'),
  sqlite: require('vehicle-auction-sdk/sqlite'),
  testing: require('vehicle-auction-sdk/testing'),
  webhooks: require('vehicle-auction-sdk/webhooks'),
};

test('A day of a platform passes in Jest', () => require('./day.cjs')(modules), 60_000);
