module.exports = { reporter: [['../../recorder.cjs']], workers: 1, globalTimeout: 4000 }
