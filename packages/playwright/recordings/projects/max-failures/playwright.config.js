module.exports = { reporter: [['../../recorder.cjs']], workers: 1, maxFailures: 1 }
