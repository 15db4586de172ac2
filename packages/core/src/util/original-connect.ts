const { Socket } = process.getBuiltinModule('net')

let original: PropertyDescriptor | undefined

/**
 * To be called before tests run: nock 15 and MSW 3 replace `Socket.prototype.connect` in the process of the tests, which
 * is the reporter's too under `jest --runInBand`. All that core sends would end in their mocks.
 */
export function rememberConnect(): void {
  original ??= Object.getOwnPropertyDescriptor(Socket.prototype, 'connect')
}

/** Runs what connects a socket, synchronously, by the method that was remembered. */
export function withOriginalConnect<Result>(connect: () => Result): Result {
  const current = Object.getOwnPropertyDescriptor(Socket.prototype, 'connect')
  if (!original || !current?.configurable || current.value === original.value) return connect()
  Object.defineProperty(Socket.prototype, 'connect', original)
  try {
    return connect()
  } finally {
    Object.defineProperty(Socket.prototype, 'connect', current)
  }
}
