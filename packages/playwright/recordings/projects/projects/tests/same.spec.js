const { test } = require('@playwright/test')

test('depends on its project', () => {
  if (test.info().project.name === 'two') throw new Error('only in two')
})
