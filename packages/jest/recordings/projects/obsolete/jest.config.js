module.exports = { projects: [{ displayName: 'only one' }] }
