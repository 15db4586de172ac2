/**
 * Changes Jest's exit code for failed tests to 0. Jest sets this code in an `exit` listener, which it adds after its reporters have
 * ended, so this listener is added later still. A failure that ends the process earlier, such as one of the global teardown, keeps
 * its exit code.
 */
export function excuseExit(failureCode: number): void {
  process.once('beforeExit', () => {
    if (Number(process.exitCode ?? 0) !== 0) return
    process.once('exit', () => {
      if (process.exitCode === failureCode) process.exitCode = 0
    })
  })
}
