module.exports = class {
  isSerial = false
  runTests() {
    return Promise.reject(new Error('the runner broke down'))
  }
}
