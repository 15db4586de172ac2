module.exports = {
  reporter: [['../../recorder.cjs']],
  workers: 2,
  fullyParallel: true,
  repeatEach: 2,
  testDir: './tests',
  projects: [
    { name: 'set-up', testMatch: /.*\.setup\.js/ },
    { name: 'one', dependencies: ['set-up'] },
    { name: 'two' },
    { testMatch: 'same.spec.js' },
  ],
}
