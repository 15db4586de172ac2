module.exports = { reporter: [['../../recorder.cjs']], workers: 1, globalTeardown: './teardown.cjs' }
