module.exports = require('dependency')
