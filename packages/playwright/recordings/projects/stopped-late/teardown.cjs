module.exports = () => {
  throw new Error('after the stop', { cause: new Error('why') })
}
