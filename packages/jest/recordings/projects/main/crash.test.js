test('a', () => {})
test('b', () => {
  process.kill(process.pid, 'SIGKILL')
  return new Promise(() => {})
})
