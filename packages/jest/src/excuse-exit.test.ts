import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { excuseExit } from './excuse-exit'

class FakeProcess extends EventEmitter {
  exitCode: number | undefined
  /** Jest's listener, which it adds after its reporters have ended. */
  addJest(code: number): void {
    this.on('exit', () => {
      if (!this.exitCode) this.exitCode = code
    })
  }

  exit(code: number | undefined = this.exitCode): number | undefined {
    this.exitCode = code
    this.emit('exit', code ?? 0)
    return this.exitCode
  }
}

function start(failureCode = 1): FakeProcess {
  const program = new FakeProcess()
  excuseExit(failureCode, program as never)
  program.addJest(failureCode)
  return program
}

test.each([1, 7])('an execution with the exit code %d for failed tests ends with 0', (failureCode) => {
  const program = start(failureCode)
  program.emit('beforeExit')
  expect(program.exit()).toBe(0)
})

test('a process that ends before its work is done keeps its exit code', () => {
  expect(start().exit(1)).toBe(1)
})

test('a process that fails after the tests keeps its exit code', () => {
  const program = start()
  program.emit('beforeExit')
  expect(program.exit(1)).toBe(1)
  const later = start()
  later.emit('beforeExit')
  later.exitCode = 1
  expect(later.exit()).toBe(1)
})

test('another exit code than that of failed tests stays', () => {
  const program = start(2)
  program.on('exit', () => (program.exitCode = 1))
  program.emit('beforeExit')
  expect(program.exit()).toBe(1)
})
