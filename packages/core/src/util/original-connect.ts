const { Socket } = process.getBuiltinModule('net')

let original: PropertyDescriptor | undefined

/**
 * Called before tests run: nock 15 and MSW 3 replace `Socket.prototype.connect`, also for the reporter under `jest
 * --runInBand`, and would catch all that core sends.
 */
export function rememberConnect(): void {
  original ??= Object.getOwnPropertyDescriptor(Socket.prototype, 'connect')
}

/** Connects a socket with the remembered method. */
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
