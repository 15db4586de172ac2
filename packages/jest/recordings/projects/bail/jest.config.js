module.exports = { bail: 1, maxWorkers: 2 }
