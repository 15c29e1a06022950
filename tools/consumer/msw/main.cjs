const { bidThroughMsw } = require('./suite.cjs');

bidThroughMsw(
  require('vehicle-auction-sdk'),
  require('vehicle-auction-sdk/sandbox'),
  require('msw/node'),
).catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
