module.exports = { reporter: [['../../recorder.cjs']], workers: 1, globalSetup: './set-up.cjs' }
