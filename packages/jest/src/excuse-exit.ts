/**
 * Makes a success of the exit code with which Jest ends for failed tests. Jest sets it in a listener of `exit` that it adds after its reporters have
 * ended; ours comes after that. What ends the process earlier, such as a failed global teardown, keeps its exit code.
 */
export function excuseExit(failureCode: number): void {
  process.once('beforeExit', () => {
    if (Number(process.exitCode ?? 0) !== 0) return
    process.once('exit', () => {
      if (process.exitCode === failureCode) process.exitCode = 0
    })
  })
}
