const framed = (message, frames) =>
  Object.assign(new Error(message), { stack: [message, ...frames].join('\n') })
test('throws a text', () => {
  throw 'text'
})
test('throws undefined', () => {
  throw undefined
})
test('throws a record', () => {
  throw { code: 7 }
})
test('a message of several lines', () => {
  throw new Error('  first\n\n   at the second\nthird  ')
})
test('has a cause', () => {
  throw new Error('outer', { cause: new Error('inner') })
})
test('an anonymous frame first', () => {
  throw framed('anonymous', ['    at <anonymous>', '    at next (/project/a.js:1:2)'])
})
test('a native frame first', () => {
  throw framed('native', ['    at Array.map (native)', '    at next (/project/a.js:1:2)'])
})
test('only frames', () => {
  throw framed('', ['    at Array.map (<anonymous>)', '    at next (/project/a.js:1:2)'])
})
test('a message with spaces at its ends', () => {
  throw framed('  spaced  ', ['', '    at next (/project/a.js:1:2)'])
})
test('times out', () => new Promise(() => {}), 20)
