const run = require(`./${process.argv[2]}.cjs`);

const modules = {
  sdk: require('vehicle-auction-sdk'),
  csv: require('vehicle-auction-sdk/csv'),
  postgres: require('vehicle-auction-sdk/postgres'),
  sandbox: require('vehicle-auction-sdk/sandbox'),
  sqlite: require('vehicle-auction-sdk/sqlite'),
  store: require('vehicle-auction-sdk/store'),
  testing: require('vehicle-auction-sdk/testing'),
  webhooks: require('vehicle-auction-sdk/webhooks'),
};
run(modules, async (name) => require(name)).catch((error) => {
  console.error(error);
  // A sandbox that is still open would keep the process alive.
  process.exit(1);
});
