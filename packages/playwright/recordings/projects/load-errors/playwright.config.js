module.exports = { reporter: [['../../recorder.cjs']], workers: 1, testDir: './tests' }
