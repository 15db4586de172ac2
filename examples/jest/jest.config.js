/** @type {import('jest').Config} */
module.exports = {
  reporters: ['default', '@runledger/jest'],
}
