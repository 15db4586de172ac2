module.exports = { runner: './runner.cjs' }
