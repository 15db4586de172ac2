module.exports = {
  reporter: [['../../recorder.cjs']],
  workers: 2,
  maxFailures: 1,
  globalTeardown: './teardown.cjs',
}
