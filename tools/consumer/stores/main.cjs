const { bidOverStores } = require('./suite.cjs');

bidOverStores({
  sdk: require('vehicle-auction-sdk'),
  postgres: require('vehicle-auction-sdk/postgres'),
  sandbox: require('vehicle-auction-sdk/sandbox'),
  sqlite: require('vehicle-auction-sdk/sqlite'),
  testing: require('vehicle-auction-sdk/testing'),
}).catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
