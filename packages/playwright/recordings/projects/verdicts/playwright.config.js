module.exports = { reporter: [['../../recorder.cjs']], workers: 1, retries: 1, timeout: 2000 }
