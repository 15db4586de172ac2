module.exports = { testEnvironment: 'node', maxWorkers: 2 }
