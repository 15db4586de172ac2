import { fork, type ChildProcess } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { KeyClashError, type Statement, type StatementResult } from '../database'
import { toBindable } from './sqlite-driver'

/** What sqlite-worker.cjs does. Writes of a group share a transaction; a failed one is undone alone. */
export type PeerMessage =
  | { do: 'run' | 'runInWrite'; statements: readonly Statement[]; rows: boolean }
  | { do: 'endWrite'; keep: boolean }
  | { do: 'begin' | 'beginWrite' | 'commit' | 'optimize' | 'close' }

export interface PeerResult extends StatementResult {
  /** CPU time in milliseconds; only for processes. */
  busyMs?: number
}

export interface PeerOptions {
  module: string
  path: string
  pragmas: readonly string[]
  /** The write-ahead log restarts above this size. */
  maxWalBytes?: number
}

interface Answer extends PeerResult {
  id: number
  error?: { message: string; code?: string; errcode?: number }
}

const WORKER_FILE = fileURLToPath(new URL('./sqlite-worker.cjs', import.meta.url))

/** It ended by itself, or the kernel killed it when memory was short. */
export class ReaderEndedError extends Error {
  override name = 'ReaderEndedError'
}

/** A connection in another thread or process; it handles messages in order. */
export class SqlitePeer {
  /** Resolves with the reason when it ends by itself. */
  readonly ended: Promise<Error>
  readonly #channel: Channel
  readonly #waiting = new Map<number, { resolve: (result: PeerResult) => void; reject: (e: Error) => void }>()
  #outbox: object[] = []
  #lastId = 0
  #failure: Error | undefined

  constructor(channel: Channel) {
    this.#channel = channel
    this.ended = new Promise((resolve) =>
      channel.listen({
        message: (answers) => answers.forEach((answer) => this.#settle(answer)),
        end: (error) => {
          if (!this.#failure) resolve(error)
          this.fail(error)
        },
      }),
    )
  }

  post(message: PeerMessage & { id?: number }): void {
    if (this.#failure) return
    this.#outbox.push('statements' in message ? withBindableValues(message) : message)
    if (this.#outbox.length === 1) process.nextTick(() => this.#flush())
  }

  ask(message: PeerMessage): Promise<PeerResult> {
    if (this.#failure) return Promise.reject(this.#failure)
    const id = (this.#lastId += 1)
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.post({ ...message, id })
    })
  }

  /** Batches messages, because waking the other side is what costs. */
  #flush(): void {
    const messages = this.#outbox
    this.#outbox = []
    if (!this.#failure) this.#channel.send(messages)
  }

  get isOver(): boolean {
    return this.#failure !== undefined
  }

  fail(error: Error): void {
    this.#failure ??= error
    for (const { reject } of this.#waiting.values()) reject(this.#failure)
    this.#waiting.clear()
  }

  /** Lowers the priority of a process, for good. */
  lowerPriority(): void {
    this.#channel.lowerPriority?.()
  }

  /** Also in the middle of a statement if it is a process. */
  async kill(): Promise<void> {
    this.fail(new Error('The connection to the database was closed.'))
    await this.#channel.kill()
  }

  #settle({ id, error, ...result }: Answer): void {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (error) waiting?.reject(toError(error))
    else waiting?.resolve(result)
  }
}

interface Channel {
  send(messages: object[]): void
  listen(listener: { message: (answers: Answer[]) => void; end: (error: Error) => void }): void
  lowerPriority?(): void
  kill(): Promise<unknown>
}

/** Fastest, but its statements cannot be stopped. */
export function startThread(options: PeerOptions): SqlitePeer {
  // Statements are used once: a large cache would only fill up.
  const worker = new Worker(WORKER_FILE, {
    workerData: options,
    resourceLimits: { maxYoungGenerationSizeMb: 8 },
  })
  return new SqlitePeer({
    send: (messages) => worker.postMessage(messages, []),
    listen: ({ message, end }) => {
      worker.on('message', message)
      worker.on('error', end)
      worker.on('exit', () => end(new Error('The thread of the database has ended.')))
    },
    kill: () => worker.terminate(),
  })
}

/** It can be killed during a statement. Values are sent as JSON, the fastest way. */
export function startProcess(options: PeerOptions): SqlitePeer {
  const child = fork(WORKER_FILE, [JSON.stringify(options)], {
    execArgv: ['--max-semi-space-size=4'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  return new SqlitePeer({
    send: (messages) => void child.send(messages),
    listen: ({ message, end }) => {
      child.on('message', message)
      const ended = (cause?: unknown) =>
        end(new ReaderEndedError('A process that reads the database has ended.', { cause }))
      // Sending to a killed process fails before its exit event.
      child.on('error', ended)
      child.on('exit', () => ended())
    },
    lowerPriority: () => lowerPriority(child),
    kill: () => killProcess(child),
  })
}

function lowerPriority({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // The process has ended, or the system forbids it.
  }
}

function killProcess(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    child.once('exit', () => resolve())
    child.kill('SIGKILL')
  })
}

const KEY_CLASH = /^UNIQUE constraint failed: (?:\w+\.run_id, )?\w+\.id$/

function toError({ message, code, errcode }: NonNullable<Answer['error']>): Error {
  if (KEY_CLASH.test(message)) return new KeyClashError(message)
  return Object.assign(new Error(message), code === undefined ? {} : { code }, { errcode })
}

function withBindableValues<Message extends { statements: readonly Statement[] }>(message: Message): Message {
  const statements = message.statements.map(([sql, values]) => [sql, values.map(toBindable)] as const)
  return { ...message, statements }
}
