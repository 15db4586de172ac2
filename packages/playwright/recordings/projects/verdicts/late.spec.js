const { test } = require('@playwright/test')

test('leaves a timer behind', () => {
  setTimeout(() => {
    throw new Error('too late')
  }, 200)
})
