module.exports = { reporter: [['../../recorder.cjs']], workers: 1, retries: 1, failOnFlakyTests: true }
