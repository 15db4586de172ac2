module.exports = { reporter: [['../../recorder.cjs']], workers: 1 }
